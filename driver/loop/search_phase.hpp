// The search itself: asks which trial next, tells what trials showed, until the answer is proved or no more can be spent.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "driver/launch/pauses.hpp"
#include "driver/loop/both_ends.hpp"
#include "driver/loop/inquiry.hpp"
#include "driver/loop/run.hpp"

namespace bisectd::driver {

class SearchPhase {
 public:
  /// The suspects are listed, their ladders climbed.
  SearchPhase(Run& run, const AsIs& as_is);
  ~SearchPhase() { run_.trials.before_judged({}); }
  SearchPhase(const SearchPhase&) = delete;

  /// To the answer, which is in the state then. Throws Interrupted.
  void run();
  /// Makes another minimal fix the culprit set, if it can be proved as well; else the answer stays as it is. Throws
  /// Interrupted.
  void prefer(const std::vector<strategies::SuspectId>& fix);
  /// Takes in trials of other fixes. True if one of them showed a further cause, and that is in the answer now. Throws
  /// Interrupted.
  bool hear(const std::vector<FinishedTrial>& trials);
  /// Whether no trial may start any more. Of its hours so many seconds are kept back.
  bool budget_spent(double kept_back_s) const;
  bool budget_spent() const;  ///< the time of the controls at the end is kept back
  /// Suspects that were neutralised, in a family that leaves traces, and left none.
  strategies::SuspectSet without_effect() const { return effect_due_ - effect_seen_; }

 private:
  void search();
  void search_on();
  void begin_anew();
  void hear_finished();
  void descend();
  void search_parts(PastDescent descent);
  bool is_of_this_search(const PastTrial& trial) const;
  void return_to_prices();
  void give_up(std::vector<strategies::SuspectId> fix);
  void say_what_is_left();
  strategies::Answer not_carried(strategies::Answer answer) const;
  void ask();
  void start(TrialPlan plan);
  void sit_out();
  bool ask_for_proofs();
  void go_on_with_past();
  void take_in(const FinishedTrial& finished);
  void refuse_if_unlike(const FinishedTrial& finished);
  void learn(const JudgedRun& told);
  void journal_findings(const FinishedTrial& finished);
  std::vector<strategies::SuspectId> refused_in(const FinishedTrial& finished) const;
  void tell_refused(const std::vector<strategies::SuspectId>& members);

  Run& run_;
  SeenNames as_is_names_;
  std::size_t as_is_number_;         ///< of the trial that both ends began with
  const AttemptOutcome& as_is_run_;  ///< its first one, which outlives the search
  strategies::Problem problem_;
  JudgedRun as_is_;
  Inquiry inquiry_;           ///< of the search that goes on, or that has the answer
  bool among_parts_ = false;  ///< that is the second one
  std::optional<strategies::Answer>
      before_other_fix_;   ///< proved, before an earlier bisectd's last trial of another fix was told
  launch::Pauses pauses_;  ///< since nothing runs any more
  int begun_late_ = 0;     ///< trials whose logs begin far behind the reference
  int searched_ =
      0;  ///< trials of the search, started or in the journal: what the budget counts, beside further discoveries
  std::map<std::size_t, strategies::Neutralised> pending_;  ///< sets of running trials, by number
  strategies::SuspectSet refused_;                          ///< named by the log of a broken run as impossible to neutralise
  strategies::SuspectSet effect_due_;                       ///< neutralised at least once, in a family that leaves traces
  strategies::SuspectSet effect_seen_;                      ///< of these: left one
};

}  // namespace bisectd::driver
