// The search itself: asks which trial next, tells what trials showed, until the answer is proved or no more can be spent.
#pragma once

#include <map>
#include <vector>

#include "driver/launch/pauses.hpp"
#include "driver/loop/inquiry.hpp"
#include "driver/loop/run.hpp"

namespace bisectd::driver {

class SearchPhase {
 public:
  /// Tells the search what an earlier bisectd found out, and takes up what it left open. The suspects are listed, their
  /// ladders climbed. `as_is` outlives it; `number`: TrialQuestion::search; `scope`: what is searched among.
  SearchPhase(Run& run, const FinishedTrial& as_is, int number, Scope scope);

  int number() const { return number_; }
  /// There is more to ask, and more to be spent.
  bool goes_on() const;
  /// To the answer, which is in the state then. Throws Interrupted.
  void search();
  /// Takes in trials of other fixes. True if one of them showed a further cause, and that is in the answer now. Throws
  /// Interrupted.
  bool hear(const std::vector<FinishedTrial>& trials);
  /// Makes another minimal fix the culprit set, if it can be proved as well. False: it came to nothing, the answer is as it
  /// was. Throws Interrupted.
  bool choose(const std::vector<strategies::SuspectId>& fix);
  /// Whether no trial may start any more. The time of the controls at the end is kept back.
  bool budget_spent() const;

 private:
  void go_on_with_past();
  void hear_finished();
  strategies::Answer last_answer() const;
  strategies::Answer not_carried(strategies::Answer answer) const;
  void ask();
  void start(TrialPlan plan);
  void sit_out();
  bool ask_for_proofs();
  void take_in(const FinishedTrial& finished);
  void refuse_if_unlike(const FinishedTrial& finished);

  Run& run_;
  const FinishedTrial& as_is_;
  int number_;
  strategies::Problem problem_;
  Inquiry inquiry_;
  launch::Pauses pauses_;                                   ///< since nothing runs any more
  std::map<std::size_t, strategies::Neutralised> pending_;  ///< sets of running trials, by number
};

}  // namespace bisectd::driver
