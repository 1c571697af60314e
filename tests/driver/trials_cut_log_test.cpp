// A resumed trial whose logs are shorter than its journal says, as after a power cut.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/driver/trials_bench.hpp"

namespace bisectd::driver::trials_bench {

TEST_CASE("an attempt whose log a power cut took the end of is no evidence, and is run again") {
  for (const int steps : {0, 4}) {
    TrialsBench bench(1);
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
    TrialsBench bench(1);
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
  const auto start = [](TrialsBench& bench) {
    bench.launcher->script = [](const launch::Job& job) {
      keep::write_file(job.stdout_file.parent_path() / "accuracy.log", logged(kWell.steps));
      return kWell;
    };
    bench.plan.role = Role::reference;
    bench.trials->start(bench.plan);
    CHECK(bench.trials->wait().front().attempts.front().curve.series.size() == 2);
  };
  for (const int steps : {0, 4}) {
    TrialsBench bench(1, {loss(), accuracy()});
    start(bench);
    bench.cut_log(1, 1, steps, "accuracy.log");
    for (int resumed = 1; resumed <= 2; ++resumed) {
      bench.begin_again();
      CHECK(bench.trials->wait().size() == 1);
      CHECK(bench.launcher->started.size() == (resumed == 1 ? 1 : 0));
      CHECK(bench.endings() == Words{"finished", "lost", "finished"});
    }
  }
  TrialsBench bench(1, {loss(), accuracy()});  // one that nobody looks for any more is no loss
  start(bench);
  bench.look_for({loss()});
  bench.begin_again();
  CHECK(bench.trials->wait().size() == 1);
  CHECK(bench.launcher->started.empty());
}

TEST_CASE("the file that a training was given for its metrics counts, too, even if the log has the same steps") {
  TrialsBench bench(1);
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
  TrialsBench bench(1, {loss(), norm});
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

}  // namespace bisectd::driver::trials_bench
