// What the phases amount to: the answer as it stands, what is still to be proved of it, and what the noise hides. A view;
// it keeps nothing.
#pragma once

#include <vector>

#include "strategies/answer.hpp"
#include "strategies/phases.hpp"

namespace bisectd::strategies {

/// What it comes to that the subject fails with everything neutralised that can be.
enum class Unmended {
  no,              ///< it does not, or is not known to
  open,            ///< a part of it is still worth a trial
  outside,         ///< off to the same side as the subject as it is and no further; so is each part
  otherwise,       ///< off more or to the other side: neutralising may do harm by itself, or there is nothing but noise
  made_up,         ///< of its parts that pass each only makes up for the fault
  comes_and_goes,  ///< where no verdict is ever wrong, and yet it passed in some trial; or as it is it failed and then
                   ///< passed more often
};

class Standing {
 public:
  explicit Standing(const Phases& phases) : phases_(phases) {}

  /// Whether an engine that believes, rather than `ordered`, gives the answer.
  bool engine_answers() const;
  std::vector<SuspectId> culprit_set() const;
  /// As the answer names them so far.
  std::vector<std::vector<SuspectId>> causes() const;
  Accused accused() const { return {culprit_set(), causes()}; }
  /// Of `ordered`: one cause for each culprit, as far as it is known.
  std::vector<std::vector<SuspectId>> named_causes() const;
  /// A fix of the same causes that costs less than the one that `ordered` found; empty if there is none, or it is not known.
  std::vector<SuspectId> cheaper_fix() const;

  Unmended unmended() const;
  /// With everything neutralised it passes, and yet it is still off (effects.hpp).
  bool fix_makes_up() const;
  /// Where everything neutralised fails: trials that neutralise a part and are still worth asking.
  std::vector<Active> open_parts() const;
  /// `ordered` has the set, and every cause is named that can be.
  bool ordered_done() const;
  bool ordered_proved() const;

  /// Of the answer as it is: what is still to be proved. That a member is needed is shown by its cause, which fails alone,
  /// so it stands behind.
  std::vector<Claim> open_claims() const;
  /// Whether trials may still prove it: with noise a set that came out as it should may need more votes.
  bool may_prove(const Claim& claim) const;
  /// What would decide, were it not for the noise: the ends, then what the answer rests on.
  std::vector<Active> deciding() const;

  bool worth_asking(const Active& active) const;  ///< another trial of it may decide it
  Measured as_is() const;  ///< how far the subject as it is is off; with a signature only if that tells
  Active all_but(const std::vector<SuspectId>& fix) const { return strategies::all_but(fix, phases_.size()); }

 private:
  bool nothing_was_switched_off() const;
  bool may_pass(const Active& part) const;
  Measured measured(const Active& active) const { return phases_.log().measured(active); }
  std::vector<Active> open_among(const std::vector<Active>& parts) const;
  bool less_is_left() const;      ///< it is off to the same side, but not as far; no verdict is ever wrong
  bool is_off_otherwise() const;  ///< of two that fail, with everything neutralised than as it is
  bool given_up(const Bisection& cause) const;

  const Phases& phases_;
};

}  // namespace bisectd::strategies
