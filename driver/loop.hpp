// The one place that knows all rooms: references, both ends, discovery, search, certificate, report. Reads like the
// drawing in ARCHITECTURE.md.
#pragma once

#include <functional>
#include <stdexcept>

#include "driver/history.hpp"
#include "driver/inquiry.hpp"
#include "driver/judge/jury.hpp"
#include "driver/progress.hpp"
#include "driver/sides.hpp"
#include "driver/trials.hpp"
#include "driver/watch.hpp"
#include "reports/record.hpp"
#include "strategies/search.hpp"

namespace bisectd::driver {

/// A signal ended the run; it can be resumed.
struct Interrupted {
  int signal_number = 0;
};

/// The run cannot go on because of something outside the search: a side that gives no curve, a device that is gone.
class Infrastructure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Loop {
 public:
  /// `past` is what an earlier bisectd did here; empty for a new run.
  Loop(const configs::Experiment& experiment, Sides& sides, const keep::RunDirectory& directory, keep::Journal& journal,
       History past, launch::Launcher& launcher, Progress& progress);

  /// To the end, or throws Interrupted or Infrastructure. Reports are on disk in any case.
  const reports::Record& run();

 private:
  void find_answer();
  bool check_sides();
  void measure_reference();
  bool measure_subject();
  void list_suspects(const std::vector<FinishedTrial>& first);
  void search();
  void show_fix();
  void ask();
  bool ask_for_proofs();
  void replay_search();

  TrialPlan plan_for(Role role, const strategies::SuspectSet& neutralised, std::string reason) const;
  void start_or_go_on(TrialPlan plan);
  std::vector<FinishedTrial> wait();
  void take_in(const FinishedTrial& finished);
  void take_in_search(const FinishedTrial& finished);
  void learn(const Told& told);
  bool is_certain(const AttemptRequest& request, const judge::Curve& so_far);
  judge::Judgement judge_whole(const TrialPlan& plan, std::span<const judge::Curve> curves) const;
  judge::Judgement judge_early(const judge::Curve& curve) const;
  void warn_of_smoothing(const AttemptOutcome& attempt);
  bool is_decidable();
  void write_reports(bool final);
  bool budget_spent() const;

  const configs::Experiment& experiment_;
  Sides& sides_;
  const keep::RunDirectory& directory_;
  keep::Journal& journal_;
  History past_;
  launch::Launcher& launcher_;
  Progress& progress_;
  WatchList watch_;
  Attempts attempts_;
  Trials trials_;
  std::filesystem::path reference_attempt_;  ///< folder of a whole run of it; empty for a recorded one
  std::optional<judge::Jury> jury_;
  std::map<std::string, judge::Watch> watches_;  ///< of the running attempts of the search, by folder
  neutralise::Catalogue catalogue_;
  SeenNames as_is_names_;
  bool exact_ = false;  ///< the subject repeats itself bit for bit
  std::optional<Inquiry> inquiry_;
  std::map<std::size_t, strategies::SuspectSet> pending_;
  strategies::SuspectSet effect_due_;   ///< neutralised at least once, in a family that leaves traces
  strategies::SuspectSet effect_seen_;  ///< of these: left one
  reports::Record record_;
  double next_report_s_ = 0;  ///< not before this may reports be written again
};

}  // namespace bisectd::driver
