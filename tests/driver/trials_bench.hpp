// One run directory in which trials are played with jobs that are no processes and a clock that only waiting moves.
#pragma once

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/judge/running.hpp"
#include "driver/launch/slurm.hpp"
#include "driver/record/history.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/trials.hpp"
#include "tests/driver/fake_launcher.hpp"
#include "tests/driver/temporary_folder.hpp"

namespace bisectd::driver::trials_bench {

using tests::Script;

inline configs::Side side_with(int devices) {
  configs::Side side;
  side.command = {{"train", {}}};
  side.devices.kind = "npu";
  for (int id = 0; id < devices; ++id) side.devices.ids.push_back(id);
  side.timeout = std::chrono::minutes{10};
  side.stall = std::chrono::minutes{5};
  side.exit_grace = std::chrono::seconds{1};
  return side;
}

inline configs::Metric loss() {
  configs::Metric metric;
  metric.name = "loss";
  metric.format = {"regex", {}};
  metric.pattern = configs::Placed<std::string>{"step (?P<step>\\d+) loss (?P<value>\\S+)", {}};
  return metric;
}

/// The same lines in a file of their own.
inline configs::Metric accuracy() {
  configs::Metric metric = loss();
  metric.name = "accuracy";
  metric.file = "accuracy.log";
  return metric;
}

inline std::string logged(int steps) {
  std::string text;
  for (int step = 1; step <= steps; ++step) text += "step " + std::to_string(step) + " loss 1\n";
  return text;
}

/// One run directory and what a bisectd has in memory; `begin_again` is the next bisectd in the same directory.
class TrialsBench {
 public:
  explicit TrialsBench(int devices = 2, std::vector<configs::Metric> metrics = {loss()})
      : settings_(side_with(devices)), metrics_(std::move(metrics)) {
    side_.settings = &settings_;
    side_.directory = folder_.path();
    begin_again();
  }

  void begin_again(Script does = {}) {
    launcher = std::make_unique<tests::FakeLauncher>();
    launcher->script = [does](const launch::Job&) { return does; };
    side_.pool = std::make_unique<launch::DevicePool>(settings_.devices);
    const bool is_new = !std::filesystem::exists(directory_.journal());
    History past;
    if (!is_new) past = read_history(directory_.journal());
    journal_.emplace(directory_.journal(), past.whole_bytes);
    if (is_new) {
      configs::Experiment experiment{.file = "/e.yaml", .name = "x"};
      experiment.metrics = metrics_;
      journal_->append(run_record({.run_tag = "tag"}, experiment));
    }
    attempts_ = std::make_unique<Attempts>(
        *launcher, metrics_, "tag", 0, read::Readings{},
        [this](const RunningAttempt& running) { return end_early && running.request.may_end_early; });
    trials = std::make_unique<Trials>(
        *attempts_, *journal_, directory_,
        Trials::Judge{.whole =
                          [this](const TrialPlan&, std::span<const judge::Curve> curves) {
                            judged_curves = curves.size();
                            judge::Judgement judgement{{.verdict = verdict, .reason = "level"}};
                            judgement.repeat_helps = true;
                            return judgement;
                          },
                      .ended_early =
                          [](const judge::Curve&) {
                            return judge::Judgement{{.verdict = strategies::Verdict::fail, .reason = "level"}};
                          },
                      .broken =
                          [this](const TrialPlan&, const AttemptOutcome& last) {
                            return breaking_fails ? std::optional(judge::broke(name_of(*last.ending), last.text))
                                                  : std::nullopt;
                          }},
        [this](const TrialPlan&, const AttemptOutcome* ended) {
          if (ended) texts.push_back(ended->text);
        });
    for (const PastTrial& trial : past.trials) trials->go_on(plan, trial);
  }

  /// What every attempt does, by its number: the last script counts for all further ones.
  void attempts_do(std::vector<Script> scripts) {
    launcher->script = [this, scripts](const launch::Job&) {
      return scripts[std::min(launcher->started.size(), scripts.size()) - 1];
    };
  }

  std::vector<std::string> endings() const {
    std::vector<std::string> words;
    keep::read_journal(directory_.journal(), [&](const nlohmann::json& record) {
      if (record.at("kind") == "attempt-ended") words.push_back(record.at("ending"));
    });
    return words;
  }

  std::vector<std::string> kinds() const {
    std::vector<std::string> words;
    keep::read_journal(directory_.journal(), [&](const nlohmann::json& record) { words.push_back(record.at("kind")); });
    return words;
  }

  /// As if bisectd had been killed after so many lines.
  void cut_journal(std::size_t lines) {
    const std::string text = keep::read_file(directory_.journal());
    std::size_t end = 0;
    for (std::size_t i = 0; i < lines; ++i) end = text.find('\n', end) + 1;
    keep::write_file(directory_.journal(), text.substr(0, end));
  }

  /// Leaves so many steps of what an attempt logged, in this one of its files.
  void cut_log(std::size_t trial, int attempt, int steps, const char* file = "stdout.log") {
    keep::write_file(directory_.attempt(trial, attempt) / file, logged(steps));
  }

  /// What the next bisectd looks for in the logs.
  void look_for(std::vector<configs::Metric> metrics) { metrics_ = std::move(metrics); }

  /// Attempts are jobs of a scheduler, which has those that were started.
  void use_scheduler() { side_.scheduler = std::make_shared<launch::Slurm>(configs::SlurmJobs{}); }
  void submitted(std::size_t trial, int attempt) { keep::write_file(directory_.attempt(trial, attempt) / "job.sh", ""); }

  LaunchSide* side() { return &side_; }
  TrialPlan whole_plan() {
    TrialPlan one{{}, {.side = &side_, .last_steps = {{"loss", 10}}}};
    one.role = Role::proof;
    one.max_attempts = 3;
    return one;
  }
  keep::Journal& journal() { return *journal_; }
  std::filesystem::path journal_file() const { return directory_.journal(); }
  Attempts& attempts() { return *attempts_; }

 private:
  tests::TemporaryFolder folder_;
  configs::Side settings_;
  std::vector<configs::Metric> metrics_;
  LaunchSide side_;
  keep::RunDirectory directory_ = keep::RunDirectory::create(folder_.path(), "x");
  std::optional<keep::Journal> journal_;
  std::unique_ptr<Attempts> attempts_;

 public:
  std::unique_ptr<tests::FakeLauncher> launcher;
  std::unique_ptr<Trials> trials;
  bool end_early = false;
  bool breaking_fails = false;  ///< as where a run need only run
  strategies::Verdict verdict = strategies::Verdict::pass;
  std::size_t judged_curves = 0;
  std::vector<std::string> texts;  ///< of the attempts that ended
  TrialPlan plan = whole_plan();
};

using Words = std::vector<std::string>;
inline const Script kCrash{.steps = 3, .how = launch::Ended::How::signalled, .code = 6}, kWell{}, kCut{.steps = 3},
    kNever{.steps = 3, .ends_after_ms = {}};

}  // namespace bisectd::driver::trials_bench
