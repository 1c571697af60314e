// The one place that knows all rooms: references, both ends, discovery, search, certificate, report. Reads like the
// drawing in ARCHITECTURE.md.
#pragma once

#include <functional>
#include <stdexcept>

#include "driver/judge/jury.hpp"
#include "driver/loop/inquiry.hpp"
#include "driver/loop/progress.hpp"
#include "driver/record/history.hpp"
#include "driver/trial/sides.hpp"
#include "driver/trial/trials.hpp"
#include "driver/trial/watch.hpp"
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

  /// The same for one trial by hand: the references, then the subject with every suspect of the experiment neutralised.
  /// The trial is the record's last one.
  const reports::Record& run_trial();
  /// Only what a run uses; starts nothing else. Throws Interrupted or Infrastructure.
  neutralise::Discovered discover();

 private:
  void find_answer();
  bool check_sides();
  void measure_reference();
  bool measure_subject();
  void list_suspects(const std::vector<FinishedTrial>& first);
  neutralise::Discovered discovered_in(const FinishedTrial& discovery) const;
  void climb_ladders();
  std::vector<FinishedTrial> try_values(const std::string& family, const strategies::SuspectSet& neutralised);
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
  void learn_refused(const FinishedTrial& finished);
  void tell_refused(const std::vector<strategies::SuspectId>& members);
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
  neutralise::Rungs rungs_;             ///< the value that neutralises each ladder
  SeenNames as_is_names_;
  bool exact_ = false;  ///< the subject repeats itself bit for bit
  std::optional<Inquiry> inquiry_;
  std::map<std::size_t, strategies::SuspectSet> pending_;
  strategies::SuspectSet refused_;      ///< named by the log of a broken run as impossible to neutralise
  strategies::SuspectSet effect_due_;   ///< neutralised at least once, in a family that leaves traces
  strategies::SuspectSet effect_seen_;  ///< of these: left one
  reports::Record record_;
  double next_report_s_ = 0;  ///< not before this may reports be written again
};

}  // namespace bisectd::driver
