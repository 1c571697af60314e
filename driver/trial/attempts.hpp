// Launches attempts on free devices and watches them to their end: whole curve, crash, hang, stall. Knows launchers,
// device pools and log readers; knows nothing of verdicts, suspects or the journal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/launch/device_pool.hpp"
#include "driver/launch/launcher.hpp"
#include "driver/launch/scheduler.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/read/attempt_log.hpp"
#include "driver/read/names.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// One side, ready to be launched: its checked settings, its whole environment, its devices.
struct LaunchSide {
  const configs::Side* settings = nullptr;
  neutralise::Environment environment;  ///< inherited, setup's and the experiment's, nothing neutralised yet
  neutralise::Environment templates;    ///< of these, the variables whose values are filled for each attempt
  neutralise::Environment inherited;    ///< of these, what switches suspects and is only the shell's (inherited_settings)
  std::filesystem::path directory;      ///< working directory
  std::unique_ptr<launch::DevicePool> pool;
  std::shared_ptr<const launch::Scheduler> scheduler;  ///< attempts are its jobs; absent: they run on this machine
};

/// What is looked for in an attempt's output and files beside its curve.
struct WatchedNames {
  std::vector<read::NamePattern> patterns;
  std::vector<read::NamesFile> files;
};

/// What was found: one entry per pattern and per file, in their order.
struct SeenNames {
  std::vector<read::NameCounts> in_log;
  std::vector<read::FileNames> in_files;
};

/// What all attempts of a trial have in common: what is launched, and how far it goes.
struct AttemptPlan {
  LaunchSide* side = nullptr;
  neutralise::Recipe recipe;
  std::optional<std::int64_t> steps;               ///< what {steps} becomes
  std::map<std::string, std::int64_t> last_steps;  ///< by metric; a run that logged them has its whole curve, however
                                                   ///< it ends
  bool shortened = false;                          ///< it is ended as soon as it logged them
  bool may_end_early = false;                      ///< and as soon as its verdict is certain
  WatchedNames watched;
  std::set<std::string> ran_on;  ///< names of devices that ran the same set before: others are preferred if free
  double longer = 1;  ///< so many times as long as a trial: so is its timeout, and the memory that it takes is watched
};

struct AttemptRequest : AttemptPlan {
  std::size_t trial = 0;
  int number = 1;                ///< of this trial's attempts, 1-based
  std::filesystem::path folder;  ///< the attempt's own, made when it starts
  int perturbed = 0;             ///< seed of its perturbation; 0: none
  bool adopt = false;            ///< an earlier bisectd has submitted it to a scheduler
};

enum class Ending {
  finished,  ///< left with 0 by itself
  whole,     ///< logged its last step, then hung or died: the curve is whole
  crashed,
  timed_out,
  stalled,
  not_started,
  ended_early,  ///< we ended it because its verdict was certain
  interrupted,  ///< we were asked to stop; says nothing of the run
  lost,         ///< its node or its scheduler took it away; says nothing of the run
};

/// So many attempts of one trial, or of one step of `align`, may be lost in one session. A node that fails takes one attempt
/// along; a partition that preempts may take several.
constexpr int kMostLost = 10;

/// What the journal keeps of an attempt.
struct Attempt : reports::AttemptSummary {
  int number = 1;                ///< of its trial's, 1-based
  std::optional<Ending> ending;  ///< absent: it runs, or did when bisectd was killed
  double waited_s = 0;           ///< for its scheduler, before it started
  std::string undone;            ///< what it logged if its perturbation was lost; its curve then counts as not perturbed
  std::map<std::string, std::optional<std::int64_t>> last_steps;  ///< of each judged metric, and of the file for metrics
  std::vector<std::string> notes;
  bool set_aside = false;  ///< what made a session fail: no evidence any more, only shown
};

/// An attempt that ended, with all that it logged.
struct AttemptOutcome : Attempt {
  std::size_t trial = 0;
  std::filesystem::path folder;
  judge::Curve curve;
  std::vector<std::string> errors;  ///< lines of the log that should have held a value
  SeenNames names;
  read::Readings learnt;                 ///< how metrics that nobody described are read, found out from this attempt
  std::vector<std::string> said_of_log;  ///< what was read of each of them, or why nothing was
};

/// An attempt under way, as its watcher sees it.
struct RunningAttempt {
  const AttemptRequest& request;
  const read::AttemptLog& log;
  double started_s = 0;  ///< since the run began
  std::string device;
};

/// True if the attempt's curve may be judged: it is whole, and no line of the log that should hold a value did not.
bool can_be_judged(const AttemptOutcome& outcome);
std::string name_of(Ending ending);
/// It crashed, hung or took too long.
inline bool broke(std::optional<Ending> ending) {
  return ending == Ending::crashed || ending == Ending::timed_out || ending == Ending::stalled;
}
/// It trained to its last step.
inline bool is_whole(std::optional<Ending> ending) { return ending == Ending::finished || ending == Ending::whole; }

/// How long to wait, at `now_s`, for those running attempts that began together with `first`, which has ended and will
/// likely be followed by them; not positive if none is due. All in seconds since the run began.
double seconds_to_gather(const AttemptOutcome& first, std::span<const double> others_began_s, double now_s);

class Attempts {
 public:
  using Clock = launch::Clock;
  /// Sees each attempt while it runs; true: its verdict is certain, end it.
  using Watcher = std::function<bool(const RunningAttempt&)>;

  /// `known`: how metrics that nobody described were read from earlier logs.
  Attempts(launch::Launcher& launcher, std::vector<configs::Metric> metrics, std::string run_tag, double elapsed_before_s,
           read::Readings known, Watcher watcher);
  ~Attempts();

  /// Starts an attempt on a slot of its side's pool, and gives the slot back when it has ended. One that is to be adopted
  /// may wait, run or have ended meanwhile.
  void start(AttemptRequest request, launch::Slot slot);
  /// Waits until at least one attempt ended, and a moment longer for those that are due with it; empty only if none is
  /// running or a signal arrived.
  std::vector<AttemptOutcome> wait();
  /// Ends everything that runs and returns it, as interrupted, with `why`, where it was not to end already. What a launcher
  /// cannot end is given up after a minute.
  std::vector<AttemptOutcome> stop_all(const std::string& why = "bisectd was asked to stop");
  /// The outcome of an attempt of an earlier bisectd, read from its files again. `ending` is what the journal says;
  /// without it (bisectd was killed while it ran) it counts as whole if its last step is logged, else as interrupted.
  AttemptOutcome reread(const AttemptRequest& request, std::optional<Ending> ending);
  bool any_running() const { return !running_.empty(); }
  int signal_number() const { return launcher_.signal_number(); }
  /// Seconds since the run began, without the time between an interruption and the resuming.
  double now_s() const;

 private:
  struct Running;
  void poll();
  void learn_from(AttemptOutcome& outcome);
  void collect(std::vector<AttemptOutcome>& outcomes, std::chrono::milliseconds at_most);
  RunningAttempt seen_now(const Running& running) const;
  static bool begins(Running& running, launch::JobStatus status, Clock::time_point now);
  static std::string job_text(const Running& running);
  static std::string place_text(const configs::Side& side, const std::string& place);
  bool may_be_cut(const launch::Ended& ended);
  AttemptOutcome outcome_of(Running& running, const launch::Ended& ended) const;

  launch::Launcher& launcher_;
  std::vector<configs::Metric> metrics_;
  read::Readings known_;  ///< how metrics are read that nobody described
  std::string run_tag_;
  Watcher watcher_;
  Clock::time_point began_;
  launch::JobId next_id_ = 1;
  std::map<launch::JobId, std::unique_ptr<Running>> running_;
  std::map<const LaunchSide*, std::int64_t> finished_at_;  ///< the last step of the longest that left with 0
};

}  // namespace bisectd::driver
