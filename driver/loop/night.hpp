// One run while it goes on: what is known so far, and the trials that make it known. The parts of the loop (both ends,
// ladders, hunt) work on it one after the other.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "driver/judge/jury.hpp"
#include "driver/launch/interrupted.hpp"
#include "driver/loop/progress.hpp"
#include "driver/record/history.hpp"
#include "driver/trial/samples.hpp"
#include "driver/trial/sides.hpp"
#include "driver/trial/trials.hpp"
#include "driver/trial/watch.hpp"
#include "reports/record.hpp"

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

class Night {
 public:
  Night(const configs::Experiment& experiment, Sides& sides, const keep::RunDirectory& directory, keep::Journal& journal,
        History past, launch::Launcher& launcher, Progress& progress);
  Night(const Night&) = delete;  // what it started tells it

  /// What a trial of this role launches, as far as is known by now.
  TrialPlan plan_for(Role role, const strategies::SuspectSet& neutralised, std::string reason) const;
  /// An earlier bisectd started the same trial.
  bool was_begun(const TrialPlan& plan) const { return begun(plan) != nullptr; }
  /// Starts a trial, or takes up the same one of an earlier bisectd.
  void start_or_go_on(TrialPlan plan);
  /// The next trials that came to their end, in the record already. Throws Interrupted.
  std::vector<FinishedTrial> wait();
  /// All trials that are open.
  std::vector<FinishedTrial> wait_for_all();

  /// No reference, no jury: what is asked is whether the subject runs.
  bool must_only_run() const { return experiment.accept.goal == configs::Goal::runs; }
  void warn(std::string text);
  /// Not `final`: only if the last time is long enough ago.
  void write_reports(bool final);
  double now_s() const { return attempts_.now_s(); }

  const configs::Experiment& experiment;
  Sides& sides;
  const keep::RunDirectory& directory;
  keep::Journal& journal;
  History past;  ///< what an earlier bisectd did here; empty for a new run
  launch::Launcher& launcher;
  Progress& progress;
  const WatchList watch;
  std::optional<judge::Jury> jury;  ///< once the reference is measured; never where the subject must only run
  std::filesystem::path reference_attempt;  ///< folder of a whole run of it; empty for a recorded one
  neutralise::Catalogue catalogue;  ///< once the suspects are listed
  neutralise::Rungs rungs;          ///< the value that neutralises each ladder, once it is climbed
  reports::Record record;

 private:
  const PastTrial* begun(const TrialPlan& plan) const;
  void take_in(const FinishedTrial& finished);
  bool is_certain(const AttemptRequest& request, const judge::Curve& so_far);
  judge::Judgement judge_whole(const TrialPlan& plan, std::span<const judge::Curve> curves) const;
  judge::Judgement judge_early(const judge::Curve& curve) const;
  std::optional<judge::Judgement> judge_broken(const TrialPlan& plan, const AttemptOutcome& last) const;
  std::vector<std::string> judged_metrics() const;
  void warn_of_perturbation(const FinishedTrial& finished);

  Attempts attempts_;
  std::map<std::string, judge::Watch> watches_;  ///< of the running attempts of the search, by folder
  std::set<std::pair<bool, Oddity>> warned_of_;      ///< of the reference or the subject
  double next_report_s_ = 0;                     ///< not before this may reports be written again

 public:
  Trials trials;  ///< declared last: it uses all of the above
};

}  // namespace bisectd::driver
