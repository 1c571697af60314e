// Every order in which attempts end, are stopped, crash, are retried, and bisectd is signalled, killed and started again;
// with jobs that are no processes and a clock that only waiting moves.
#include "driver/trial/trials.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "driver/launch/slurm.hpp"
#include "driver/record/history.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/samples.hpp"
#include "tests/driver/fake_launcher.hpp"
#include "tests/driver/temporary_folder.hpp"

namespace bisectd::driver {
namespace {

using How = launch::Ended::How;
using tests::Script;

configs::Side side_with(int devices) {
  configs::Side side;
  side.command = {{"train", {}}};
  side.devices.kind = "npu";
  for (int id = 0; id < devices; ++id) side.devices.ids.push_back(id);
  side.timeout = std::chrono::minutes{10};
  side.stall = std::chrono::minutes{5};
  side.exit_grace = std::chrono::seconds{1};
  return side;
}

configs::Metric loss() {
  configs::Metric metric;
  metric.name = "loss";
  metric.format = {"regex", {}};
  metric.pattern = configs::Placed<std::string>{"step (?P<step>\\d+) loss (?P<value>\\S+)", {}};
  return metric;
}

/// The same lines in a file of their own.
configs::Metric accuracy() {
  configs::Metric metric = loss();
  metric.name = "accuracy";
  metric.file = "accuracy.log";
  return metric;
}

std::string logged(int steps) {
  std::string text;
  for (int step = 1; step <= steps; ++step) text += "step " + std::to_string(step) + " loss 1\n";
  return text;
}

/// One run directory and what a bisectd has in memory; `begin_again` is the next bisectd in the same directory.
class Bench {
 public:
  explicit Bench(int devices = 2, std::vector<configs::Metric> metrics = {loss()})
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
    attempts_ = std::make_unique<Attempts>(*launcher, metrics_, "tag", 0, [this](const RunningAttempt& running) {
      return end_early && running.request.may_end_early;
    });
    trials = std::make_unique<Trials>(
        *attempts_, *journal_, directory_,
        Trials::Judge{.whole =
                          [this](const TrialPlan&, std::span<const judge::Curve> curves) {
                            judged_curves = curves.size();
                            return judge::Judgement{.verdict = verdict, .reason = "level", .repeat_helps = true};
                          },
                      .ended_early =
                          [](const judge::Curve&) {
                            return judge::Judgement{.verdict = strategies::Verdict::fail, .reason = "level"};
                          },
                      .broken = [](const TrialPlan&, const AttemptOutcome&) { return std::nullopt; }},
        [](const TrialPlan&, const AttemptOutcome*) {});
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
    keep::write_file(directory_.attempt(trial, "", attempt) / file, logged(steps));
  }

  /// What the next bisectd looks for in the logs.
  void look_for(std::vector<configs::Metric> metrics) { metrics_ = std::move(metrics); }

  /// Attempts are jobs of a scheduler, which has those that were started.
  void use_scheduler() { side_.scheduler = std::make_shared<launch::Slurm>(configs::SlurmJobs{}); }
  void submitted(std::size_t trial, int attempt) { keep::write_file(directory_.attempt(trial, "", attempt) / "job.sh", ""); }

  LaunchSide* side() { return &side_; }
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
  strategies::Verdict verdict = strategies::Verdict::pass;
  std::size_t judged_curves = 0;
  TrialPlan plan{.role = Role::proof, .side = &side_, .last_steps = {{"loss", 10}}, .attempts = 1, .max_attempts = 3};
};

using Words = std::vector<std::string>;
const Script kCrash{.steps = 3, .how = How::signalled, .code = 6}, kWell{}, kCut{.steps = 3},
    kNever{.steps = 3, .ends_after_ms = {}};

}  // namespace

TEST_CASE("how attempts end, and what becomes of their trial") {
  struct Case {
    const char* what;
    std::vector<Script> scripts;
    int wanted, retries;
    Words endings;
    strategies::Verdict verdict;
  };
  const Script late_exit{.steps = 10, .ends_after_ms = {}}, dies_at_end{.steps = 10, .how = How::signalled, .code = 11};
  const Script not_there{.steps = 0, .how = How::not_started}, kGone{.steps = 3, .ends_after_ms = {}, .how = How::lost};
  using V = strategies::Verdict;
  const std::vector<Case> cases{
      {"well", {kWell}, 1, 0, {"finished"}, V::pass},
      {"well, three at once on two devices", {kWell}, 3, 0, {"finished", "finished", "finished"}, V::pass},
      {"dead after its last step", {dies_at_end}, 1, 0, {"whole"}, V::pass},
      {"hangs after its last step", {late_exit}, 1, 0, {"whole"}, V::pass},
      {"stalls", {kNever}, 1, 0, {"stalled"}, V::unresolved},
      {"crashes", {kCrash}, 1, 0, {"crashed"}, V::unresolved},
      {"crashes once, and may", {kCrash, kWell}, 1, 1, {"crashed", "finished"}, V::pass},
      {"crashes twice, and may once", {kCrash, kCrash, kWell}, 1, 1, {"crashed", "crashed"}, V::unresolved},
      {"no program: tried once", {not_there}, 1, 2, {"not-started"}, V::unresolved},
      {"is gone when its time is up: lost", {kGone, kWell}, 1, 0, {"lost", "finished"}, V::pass},
      {"one of three crashes", {kWell, kCrash, kWell}, 3, 1, {"finished", "crashed", "finished", "finished"}, V::pass},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    Bench bench;
    bench.attempts_do(one.scripts);
    bench.plan.attempts = one.wanted;
    bench.plan.crash_retries = one.retries;
    bench.trials->start(bench.plan);
    const auto finished = bench.trials->wait();
    REQUIRE(finished.size() == 1);
    CHECK(finished.front().judgement.verdict == one.verdict);
    CHECK(bench.endings() == one.endings);
    CHECK(bench.launcher->most_at_once <= 2);
    CHECK(bench.kinds().back() == "judged");
    CHECK_FALSE(bench.trials->any_open());
  }
}

TEST_CASE("what is inconclusive is repeated up to its limit") {
  Bench bench;
  bench.verdict = strategies::Verdict::inconclusive;
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::inconclusive);
  CHECK(bench.judged_curves == 3);
}

TEST_CASE("a certain verdict ends an attempt early") {
  Bench bench;
  bench.attempts_do({kNever});
  bench.end_early = bench.plan.may_end_early = true;
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::fail);
  CHECK(bench.endings() == Words{"ended-early"});
}

TEST_CASE("an attempt that a later bisectd takes up is ended early, too") {
  Bench bench;
  bench.use_scheduler();
  bench.plan.may_end_early = true;
  bench.attempts_do({kNever});
  bench.trials->start(bench.plan);
  bench.submitted(1, 1);
  bench.end_early = true;
  bench.begin_again(kNever);
  CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::fail);
  CHECK(bench.endings() == Words{"ended-early"});
}

TEST_CASE("attempts are handed on by their numbers, in whichever order they ended, and what broke says why") {
  const Script late{.ends_after_ms = 300};
  for (const bool second_crashes : {false, true}) {
    Bench bench;
    bench.plan.attempts = 2;
    bench.attempts_do({late, second_crashes ? kCrash : kWell});
    bench.trials->start(bench.plan);
    const auto finished = bench.trials->wait();
    CHECK(bench.endings() == (second_crashes ? Words{"crashed", "finished"} : Words{"finished", "finished"}));
    REQUIRE(finished.front().attempts.size() == 2);
    CHECK(finished.front().attempts.front().number == 1);
    CHECK(finished.front().judgement.reason == (second_crashes ? "crashed" : "level"));
  }
}

TEST_CASE("what was to end before a signal ends for its own reason, and is not run again") {
  Bench bench;
  bench.end_early = bench.plan.may_end_early = true;
  bench.attempts_do({{.steps = 3, .ends_after_ms = {}, .leaves_on_term_ms = 500}});
  bench.launcher->signal_after(400, 2);
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().empty());
  bench.trials->stop_all();
  CHECK(bench.endings() == Words{"ended-early"});
  bench.begin_again();
  CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::fail);
  CHECK(bench.launcher->started.empty());
}

TEST_CASE(
    "a signal before, at and after the end of a training: no cut one is evidence, and the trial comes to its end later") {
  const Script term_exits_0 = kCut, killed{.steps = 3, .how = How::signalled, .code = 15};
  for (const int signal_ms : {50, 100, 150, 299})  // the trainings end at 100; a signal may follow by 200
    for (const Script& does : {term_exits_0, killed}) {
      INFO(signal_ms << " ms, " << (does.code ? "killed" : "left with 0"));
      Bench bench;
      bench.attempts_do({does});
      bench.plan.attempts = 3;
      bench.launcher->signal_after(signal_ms, 15);
      bench.trials->start(bench.plan);
      CHECK(bench.trials->wait().empty());
      bench.trials->stop_all();
      CHECK(bench.endings().empty());
      CHECK(bench.launcher->started.size() == 2);  // none was started after the signal
      bench.begin_again();
      CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::pass);
      CHECK(bench.endings() == Words{"finished", "finished", "finished"});
    }
}

TEST_CASE("a whole training counts, however near the signal; and without a signal, what leaves with 0 has finished") {
  Bench bench;
  bench.launcher->signal_after(100, 15);
  bench.trials->start(bench.plan);
  bench.trials->wait();
  CHECK(bench.endings() == Words{"finished"});

  Bench other;
  other.attempts_do({kCut});
  other.trials->start(other.plan);
  CHECK(other.trials->wait().front().judgement.verdict == strategies::Verdict::pass);
}

TEST_CASE("what cannot be ended is given up after a minute") {
  Bench bench;
  bench.attempts_do({{.steps = 3, .ends_after_ms = {}, .leaves_on_term_ms = {}}});
  bench.launcher->signal_after(1000, 2);
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().empty());
  const auto before = bench.launcher->now();
  bench.trials->stop_all();
  CHECK(bench.launcher->now() - before == std::chrono::minutes{1});
  CHECK_FALSE(bench.attempts().any_running());
}

TEST_CASE("killed at any line of the journal, a trial comes to the same end, and no finished attempt is run again") {
  Bench whole;
  whole.attempts_do({kWell, kCrash, kWell});
  whole.plan.attempts = 3;
  whole.plan.crash_retries = 1;
  whole.trials->start(whole.plan);
  REQUIRE(whole.trials->wait().size() == 1);
  const std::size_t lines = whole.kinds().size();
  for (std::size_t kept = 2; kept <= lines; ++kept) {
    INFO(kept << " of " << lines << " lines");
    Bench bench;
    bench.attempts_do({kWell, kCrash, kWell});
    bench.plan = whole.plan;
    bench.plan.side = bench.side();
    bench.trials->start(bench.plan);
    bench.trials->wait();
    bench.cut_journal(kept);
    bench.begin_again();
    const auto finished = bench.trials->wait();
    REQUIRE(finished.size() == 1);
    CHECK(finished.front().judgement.verdict == strategies::Verdict::pass);
    CHECK(whole_curves(finished.front().attempts).size() == 3);
    const auto ended = bench.endings();
    CHECK(std::ranges::count(ended, "crashed") <= 1);
    CHECK(std::ranges::count(ended, "finished") + std::ranges::count(ended, "whole") == 3);
  }
}

TEST_CASE("what ran to its end while no bisectd was there keeps its start and its device, however often it is resumed") {
  Bench bench(1);
  bench.plan.attempts = 2;  // one after the other
  bench.trials->start(bench.plan);
  bench.trials->wait();
  bench.cut_journal(bench.kinds().size() - 2);  // without the end of the second, and the verdict
  REQUIRE(bench.kinds().back() == "attempt-started");
  bench.begin_again();
  for (int resumed = 1; resumed <= 2; ++resumed) {
    const auto finished = bench.trials->wait();
    REQUIRE(finished.size() == 1);
    CHECK(finished.front().attempts.back().started_s > 0);
    CHECK(finished.front().attempts.back().device == "npu 0");
    bench.begin_again();
  }
}

TEST_CASE("after a resume, the repeats that are missing run together") {
  Bench bench(4);
  bench.plan.attempts = 4;
  bench.attempts_do({kWell, kNever});
  bench.launcher->signal_after(150, 15);
  bench.trials->start(bench.plan);
  bench.trials->wait();
  bench.trials->stop_all();
  CHECK(bench.endings() == Words{"finished"});
  bench.begin_again();
  CHECK(bench.trials->wait().size() == 1);
  CHECK(bench.launcher->most_at_once == 3);
}

TEST_CASE("an attempt whose log a power cut took the end of is no evidence, and is run again") {
  for (const int steps : {0, 4}) {
    Bench bench(1);
    bench.plan.attempts = 2;
    bench.trials->start(bench.plan);
    bench.trials->wait();
    bench.cut_journal(bench.kinds().size() - 1);  // without the verdict
    bench.cut_log(1, 2, steps);
    for (int resumed = 1; resumed <= 2; ++resumed) {
      bench.begin_again();
      CHECK(bench.trials->wait().front().attempts.size() == 2);
      CHECK(bench.judged_curves == 2);
      CHECK(bench.launcher->started.size() == (resumed == 1 ? 1U : 0U));
    }
    CHECK(bench.endings() == Words{"finished", "finished", "lost", "finished"});
  }
}

TEST_CASE("where the curves of a judged trial are used again, one that was cut since is run again") {
  for (const Role role : {Role::reference, Role::search}) {
    Bench bench(1);
    bench.plan.attempts = 2;
    bench.plan.role = role;
    bench.trials->start(bench.plan);
    bench.trials->wait();
    bench.cut_log(1, 1, 4);
    for (int resumed = 1; resumed <= 2; ++resumed) {
      bench.begin_again();
      CHECK(bench.trials->wait().front().attempts.size() == 2);
      CHECK(bench.launcher->started.size() == (role == Role::reference && resumed == 1 ? 1U : 0U));
    }
  }
}

TEST_CASE("a metric's own file that a power cut took the end of counts as the log does, whatever else is whole") {
  const auto start = [](Bench& bench) {
    bench.launcher->script = [](const launch::Job& job) {
      keep::write_file(job.stdout_file.parent_path() / "accuracy.log", logged(kWell.steps));
      return kWell;
    };
    bench.plan.role = Role::reference;
    bench.trials->start(bench.plan);
    CHECK(bench.trials->wait().front().attempts.front().curve.series.size() == 2);
  };
  for (const int steps : {0, 4}) {
    Bench bench(1, {loss(), accuracy()});
    start(bench);
    bench.cut_log(1, 1, steps, "accuracy.log");
    for (int resumed = 1; resumed <= 2; ++resumed) {
      bench.begin_again();
      CHECK(bench.trials->wait().size() == 1);
      CHECK(bench.launcher->started.size() == (resumed == 1 ? 1 : 0));
      CHECK(bench.endings() == Words{"finished", "lost", "finished"});
    }
  }
  Bench bench(1, {loss(), accuracy()});  // one that nobody looks for any more is no loss
  start(bench);
  bench.look_for({loss()});
  bench.begin_again();
  CHECK(bench.trials->wait().size() == 1);
  CHECK(bench.launcher->started.empty());
}

TEST_CASE("the file that a training was given for its metrics counts, too, even if the log has the same steps") {
  Bench bench(1);
  bench.launcher->script = [](const launch::Job& job) {
    keep::write_file(job.stdout_file.parent_path() / "metrics.jsonl", R"({"step": 10, "loss": 1.25})"
                                                                      "\n");
    return kWell;
  };
  bench.plan.role = Role::reference;
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().front().attempts.front().curve.series.at("loss").front().value == 1.25);
  bench.cut_log(1, 1, 0, "metrics.jsonl");
  bench.begin_again();
  CHECK(bench.trials->wait().size() == 1);
  CHECK(bench.endings() == Words{"finished", "lost", "finished"});
}

TEST_CASE("the step of a watched value, which may depend on the order of reading, is no measure of what was cut") {
  configs::Metric norm = loss();
  norm.name = "grad_norm";
  norm.file = "norm.log";
  norm.pattern = configs::Placed<std::string>{"norm (?P<value>\\S+)", {}};
  Bench bench(1, {loss(), norm});
  bench.launcher->script = [](const launch::Job& job) {
    keep::write_file(job.stdout_file.parent_path() / "norm.log", "norm 1\n");
    return kWell;
  };
  bench.plan.role = Role::reference;
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().front().attempts.front().curve.series.contains("grad_norm"));
  keep::read_journal(bench.journal_file(), [](const nlohmann::json& record) {
    if (record.at("kind") == "attempt-ended") CHECK(record.at("last_steps") == nlohmann::json{{"loss", 10}});
  });
}

TEST_CASE("a trial that made its session fail is run again: what broke is set aside, whole runs stay") {
  for (const bool partly : {false, true}) {
    Bench bench(1);
    bench.plan.attempts = 2;
    bench.attempts_do(partly ? std::vector{kWell, kCrash} : std::vector{kCrash});
    bench.trials->start(bench.plan);
    CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::unresolved);
    bench.journal().append(session_record(1, "it broke", 1));
    bench.begin_again();
    CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::pass);
    CHECK(bench.launcher->started.size() == (partly ? 1U : 2U));
    bench.begin_again();  // and it is judged once and for all
    CHECK(bench.trials->wait().size() == 1);
    CHECK(bench.launcher->started.empty());
  }
}

TEST_CASE("what a trial shows is journaled before its verdict") {
  Bench bench;
  bench.trials->before_judged(
      [&](const FinishedTrial& finished) { bench.journal().append(refused_record(finished.plan.number, {1})); });
  bench.trials->start(bench.plan);
  bench.trials->wait();
  const auto kinds = bench.kinds();
  CHECK(Words(kinds.end() - 2, kinds.end()) == Words{"refused", "judged"});
}

}  // namespace bisectd::driver
