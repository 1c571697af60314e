// From a trial to its verdict: starts its attempts, repeats what is inconclusive, retries what crashed, writes the
// journal. Knows neither the search nor what a suspect is; judging is given to it as a function.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "driver/judge/verdict.hpp"
#include "driver/keep/journal.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/trial/attempts.hpp"
#include "driver/trial/past_trial.hpp"
#include "driver/trial/trial_plan.hpp"

namespace bisectd::driver {

/// Attempts of one trial are lost again and again: the scheduler or its nodes must be looked at.
class TooManyLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A trial that came to its end.
struct FinishedTrial {
  TrialPlan plan;
  std::vector<AttemptOutcome> attempts;  ///< by their numbers
  judge::Judgement judgement;            ///< of trials that are judged
};

class Trials {
 public:
  /// How trials are judged; the first two are not called without a curve.
  struct Judge {
    /// From the whole curves of a trial's attempts so far.
    std::function<judge::Judgement(const TrialPlan&, std::span<const judge::Curve>)> whole;
    std::function<judge::Judgement(const judge::Curve&)> ended_early;  ///< the curve of an attempt that was ended early
    /// From the last attempt of a trial that broke; nothing: it is unresolved.
    std::function<std::optional<judge::Judgement>(const TrialPlan&, const AttemptOutcome&)> broken;
  };
  /// Called when a trial starts and whenever one of its attempts ended.
  using Listener = std::function<void(const TrialPlan&, const AttemptOutcome*)>;

  Trials(Attempts& attempts, keep::Journal& journal, const keep::RunDirectory& directory, Judge judge, Listener listener);

  /// Called with each trial just before the journal says that it is judged: what is journaled by it cannot be lost between
  /// two lines. Not called again for a trial that an earlier bisectd judged.
  void before_judged(std::function<void(const FinishedTrial&)> call) { before_judged_ = std::move(call); }

  /// Starts a new trial (journaled), as far as slots are free; the rest of its attempts queue.
  void start(TrialPlan plan);
  /// Goes on with a trial that an earlier bisectd had begun: its ended attempts are read again, not run again. `past`: as it
  /// was before the lines that this writes.
  void go_on(TrialPlan plan, PastTrial past);
  /// Waits for the next trials to come to their end; empty only if none is open or a signal arrived. Attempts that are lost
  /// are launched again, from a budget of their own. Throws TooManyLost when that is spent; the trial then stays open, and
  /// finished() has those that came to their end with it.
  std::vector<FinishedTrial> wait();
  /// Those that wait() has not handed on.
  std::vector<FinishedTrial> finished() { return std::exchange(finished_, {}); }
  /// Ends all attempts; their trials stay open in the journal. `why`: for the log and the attempts.
  void stop_all(const std::string& why = "bisectd was asked to stop");

  /// Slots of this side that are free and not queued for.
  std::size_t free_slots(const LaunchSide& side) const;
  std::size_t next_number() const { return next_number_; }
  void continue_numbers_after(std::size_t number) { next_number_ = std::max(next_number_, number + 1); }
  /// Whether wait() has anything to hand on at once: trials taken up again that their files show to be at their end.
  bool any_finished() const { return !finished_.empty(); }
  /// Whether wait() has anything to wait for or to hand on.
  bool any_open() const { return !open_.empty() || !finished_.empty(); }

 private:
  struct Open {
    TrialPlan plan;
    std::vector<AttemptOutcome> ended;
    int launched = 0;          ///< attempts given a number so far, ended or not
    int lost = 0;              ///< in this session; they are not in `ended`
    std::vector<int> running;  ///< perturbations of those that run or are queued
  };
  void begin(TrialPlan plan);
  /// `why`: for the log.
  void launch_one(Open& open, const std::string& why);
  AttemptRequest request_for(const Open& open, int number, int perturbed) const;
  void pump();
  void take_up(Open& open, AttemptRequest request);
  void note_end(const AttemptOutcome& outcome);
  void take_in(AttemptOutcome outcome);
  /// False: its budget for that is spent.
  bool launch_lost_again(Open& open, const std::string& why);
  void drop_queued(Open& open);
  void decide(Open& open);
  void finish(Open& open, judge::Judgement judgement);

  Attempts& attempts_;
  keep::Journal& journal_;
  const keep::RunDirectory& directory_;
  Judge judge_;
  Listener listener_;
  std::function<void(const FinishedTrial&)> before_judged_;
  std::map<std::size_t, Open> open_;
  std::deque<AttemptRequest> queue_;
  std::vector<FinishedTrial> finished_;
  std::size_t next_number_ = 1;
};

}  // namespace bisectd::driver
