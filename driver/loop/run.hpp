// One run while it goes on: what it was given, what it knows by now, and the trials that make it know more. The parts of the
// loop (both ends, ladders, search phase, other fixes) work on it one after the other.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "driver/launch/interrupted.hpp"
#include "driver/loop/progress.hpp"
#include "driver/loop/run_record.hpp"
#include "driver/loop/trial_judging.hpp"
#include "driver/loop/trial_planning.hpp"
#include "driver/trial/samples.hpp"
#include "driver/trial/trials.hpp"

namespace bisectd::driver {

/// The run cannot go on because of something outside the search: a side that gives no curve, a device that is gone.
class Infrastructure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// `trial`: the one whose runs led to this. When the run is resumed, whoever does so has mended the cause, so that those
  /// runs say nothing any more.
  Infrastructure(const std::string& what, std::size_t trial) : std::runtime_error(what), trial_(trial) {}

  std::optional<std::size_t> trial() const { return trial_; }

 private:
  std::optional<std::size_t> trial_;
};

class Run {
 public:
  Run(const configs::Experiment& experiment, Sides& sides, const keep::RunDirectory& directory, keep::Journal& journal,
      History past, launch::Launcher& launcher, Progress& progress);
  ~Run() { journal.tell({}); }
  Run(const Run&) = delete;  // what it started tells it

  /// What a trial of this role launches, as far as is known by now.
  TrialPlan plan_for(Role role, const strategies::Neutralised& neutralised, std::string reason) const {
    return plan_trial(input, state, role, neutralised, std::move(reason));
  }
  /// An earlier bisectd drove this run.
  bool is_resumed() const { return last_earlier_ > 0; }
  /// It started the same trial.
  bool was_begun(const TrialPlan& plan) const { return begun(plan) != nullptr; }
  /// Starts a new trial; what was finished is not so any more.
  void start(TrialPlan plan);
  /// Starts a trial, or takes up the same one of an earlier bisectd.
  void start_or_go_on(TrialPlan plan);
  /// The next trials that came to their end. Throws Interrupted, and Infrastructure where nothing can be read or runs.
  std::vector<FinishedTrial> wait();
  /// Starts these trials beside the search, or takes them up, and waits for all. In a finished run no new one is started.
  /// What the first is for is announced, unless such a one was before. Throws like wait().
  std::vector<FinishedTrial> run_all(std::vector<TrialPlan> plans);
  std::vector<FinishedTrial> run_all(TrialPlan plan) { return run_all(std::vector{std::move(plan)}); }

  /// Ends all attempts; their trials stay open in the journal and are shown no more. `why`: for the log.
  void stop_all(const std::string& why = "bisectd was asked to stop");

  bool must_only_run() const { return input.must_only_run(); }
  void warn(std::string text);
  /// The record as it is now, without its trials.
  reports::Record frame() const { return frame_of(experiment, directory, state, elapsed_s()); }
  /// With its trials, of which no file is read.
  reports::Record record() const { return record_of(experiment, directory, state, elapsed_s(), Detail::live); }
  /// Only if the last time is long enough ago.
  void write_reports();
  /// With all that the run's files tell. Returns the record that they show.
  reports::Record write_final_reports();
  double now_s() const { return attempts_.now_s(); }
  /// What the person allows for searches: of the hours so many seconds are kept back for what follows; of the trials those
  /// of searches count, and discovery runs after the first one.
  bool hours_spent(double kept_back_s = 0) const;
  bool trials_spent() const;

  const RunInput input;
  const configs::Experiment& experiment;  ///< of `input`
  Sides& sides;                           ///< of `input`
  const keep::RunDirectory& directory;

  RunState state;

  keep::Journal& journal;
  launch::Launcher& launcher;
  Progress& progress;

 private:
  const PastTrial* begun(const TrialPlan& plan) const;
  bool see_running(const RunningAttempt& running);
  void take_in(const FinishedTrial& finished);
  void leave_open(const std::vector<FinishedTrial>& finished);
  void note(const TrialPlan& plan, const AttemptOutcome* outcome);
  /// A finished run's time stands still.
  double elapsed_s() const { return state.history.finished ? state.history.elapsed_s : now_s(); }
  void write(const reports::Record& record, double began_s);
  void warn_of_perturbation(const FinishedTrial& finished);
  void refuse_unread_metrics(const std::vector<FinishedTrial>& finished);

  TrialJudge judge_;
  Attempts attempts_;
  std::size_t last_earlier_ = 0;  ///< number of the last trial that an earlier bisectd started
  std::set<Role> announced_;
  std::set<std::pair<bool, Oddity>> warned_of_;  ///< of the reference or the subject
  std::set<std::string> metrics_read_;           ///< of which a run of the subject logged a value
  double next_report_s_ = 0;                     ///< not before this may reports be written again

 public:
  Trials trials;  ///< declared last: it uses all of the above
};

}  // namespace bisectd::driver
