// From curves to a verdict, by what the trial is for: how the jury is asked for each role, and what counts as an answer
// where the subject need only run.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/judge/jury.hpp"
#include "driver/loop/trial_planning.hpp"

namespace bisectd::driver {

class TrialJudge {
 public:
  /// Both must outlive it. Without a jury in `state` only trials that must run can be judged.
  TrialJudge(const RunInput& input, const RunState& state) : input_(input), state_(state) {}

  /// From the whole curves of a trial's attempts so far.
  judge::Judgement whole(const TrialPlan& plan, std::span<const judge::Curve> curves) const;
  /// From the curve of an attempt that was ended because it was certain.
  judge::Judgement ended_early(const judge::Curve& curve) const;
  /// Where a run need only run, one that died or hung is an answer; elsewhere it is none. None either, where its log names a
  /// member that cannot be neutralised, or a line that could not be read, where the program was not even found, and where
  /// only this one took too long.
  std::optional<judge::Judgement> broken(const TrialPlan& plan, const AttemptOutcome& last) const;

  /// A running attempt that need not go on. Asked again and again, with more of its curve each time.
  bool is_certain(const AttemptRequest& request, const judge::Curve& so_far);
  /// It runs no more.
  void forget(const AttemptOutcome& attempt) { watches_.erase(attempt.folder.string()); }

 private:
  const PastTrial* as_is() const;
  bool as_is_timed_out() const;
  std::optional<strategies::Size> beside_as_is(const judge::Judgement& judgement,
                                               std::span<const judge::Curve> curves) const;
  std::vector<judge::MetricRule> metrics() const { return judge::judged_metrics(input_.experiment.metrics); }

  const RunInput& input_;
  const RunState& state_;
  std::map<std::string, judge::AttemptWatch> watches_;  // of running attempts, by folder
};

}  // namespace bisectd::driver
