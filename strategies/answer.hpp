// What the search knows: at the end the proved culprit set, before that the honest state so far.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strategies/effects.hpp"
#include "strategies/evidence.hpp"
#include "strategies/hidden.hpp"

namespace bisectd::strategies {

enum class State {
  searching,
  aligned,           ///< the subject as it is passes: there is nothing to find
  outside_suspects,  ///< everything neutralised still fails, and so do parts of it
  proved,            ///< culprit set minimal and sufficient, and every cause named; a claim about a cause stays unproved
                     ///< only if each trial that could show it says nothing (`explanation` tells which)
  contradictory,     ///< verdicts contradict each other beyond what repeats can mend
  stuck,             ///< nothing left to ask, yet not proved (say, every useful trial crashes)
};

/// One line of the certificate, and the trial that shows it.
struct Claim {
  enum class Kind {
    fix_passes,     ///< exactly the culprit set neutralised: passes
    member_needed,  ///< the culprit set without `subject` neutralised: fails
    cause_fails,    ///< everything but the cause `subject` neutralised: fails
    cause_minimal,  ///< the same with one member of the cause (`subject`'s last) neutralised too: passes
  };
  Kind kind = Kind::fix_passes;
  std::vector<SuspectId> subject;
  Neutralised neutralised;  ///< the trial that shows it, itself or by implication; see certificate.hpp
  Verdict expected = Verdict::pass;
  double bits = 0;  ///< evidence for it, log2 odds; many for one exact verdict
  bool proved = false;
  bool own_trial = false;  ///< only a trial of exactly its set shows it, none that implies it (certificate.hpp)
};

/// What stands between the evidence and a proof.
enum class Hindrance {
  none,     ///< nothing but trials that were not run
  noise,    ///< what would decide was judged again and again, and is undecided
  crashes,  ///< sets that would decide never come to their end
  outage,   ///< nothing runs any more, not even what ran before
  harm,     ///< neutralising does harm, and what passes only makes up for the fault with it
  change,   ///< a trial at the end of the run contradicts what was proved before
  devices,  ///< what runs show depends on the device that they ran on
  watched,  ///< the fault goes as soon as suspects are looked at, whatever is neutralised
  control,  ///< such trials were not run: the budget was spent, or no device was free
};

/// The answer so far; complete when `state` is not `searching`.
struct Answer {
  State state = State::searching;
  std::vector<SuspectId> culprit_set;          ///< ascending
  std::vector<std::vector<SuspectId>> causes;  ///< each ascending; one member, or several that only fail together
  std::vector<Claim> certificate;
  std::vector<SuspectId> not_neutralisable;  ///< neutralising one of these breaks the run; they stayed active
  std::vector<SuspectId> excluded;  ///< stayed active because they had to (Suspect::stays_active), or because everything
                                    ///< neutralised failed and a part without them passed
  std::vector<Deviation> harmless_deviations;  ///< if proved: greatest first; as far as they were tried alone
  Hindrance hindrance = Hindrance::none;       ///< unless proved
  std::optional<Hidden> hidden;                ///< of `noise`: what most hangs on
  double confidence = 0.0;                     ///< that culprit_set is exactly right; 1 when verdicts are exact and proved
  std::vector<double> guilt;                   ///< per suspect: probability of being in the culprit set
  double trials_left_low = 0, trials_left_high = 0;  ///< expected range to the end
  std::string explanation;  ///< of `contradictory`, `stuck`, and what a final state leaves open, in words with ids as #3
};

}  // namespace bisectd::strategies
