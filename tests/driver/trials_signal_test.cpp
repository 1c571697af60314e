// A signal before, at and after the end of an attempt.
#include "tests/catch.hpp"
#include "tests/driver/trials_bench.hpp"

namespace bisectd::driver::trials_bench {

using How = launch::Ended::How;

TEST_CASE("what was to end before a signal ends for its own reason, and is not run again") {
  TrialsBench bench;
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

TEST_CASE("what is stopped says why: nobody need have asked for it") {
  TrialsBench bench;
  bench.attempts_do({{.steps = 3, .ends_after_ms = {}}});
  bench.launcher->signal_after(100, 2);
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().empty());
  bench.trials->stop_all("the search is over without it");
  CHECK(bench.texts == Words{"stopped: the search is over without it"});
}

TEST_CASE(
    "a signal before, at and after the end of a training: no cut one is evidence, and the trial comes to its end later") {
  const Script term_exits_0 = kCut, killed{.steps = 3, .how = How::signalled, .code = 15};
  for (const int signal_ms : {50, 100, 150, 299})  // the trainings end at 100; a signal may follow by 200
    for (const Script& does : {term_exits_0, killed}) {
      INFO(signal_ms << " ms, " << (does.code ? "killed" : "left with 0"));
      TrialsBench bench;
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
  TrialsBench bench;
  bench.launcher->signal_after(100, 15);
  bench.trials->start(bench.plan);
  bench.trials->wait();
  CHECK(bench.endings() == Words{"finished"});

  TrialsBench other;
  other.attempts_do({kCut});
  other.trials->start(other.plan);
  CHECK(other.trials->wait().front().judgement.verdict == strategies::Verdict::pass);
}

TEST_CASE("where nobody knows the last step, only what is shorter than a run before waits for a signal") {
  const auto took_ms = [](std::vector<Script> scripts) {
    TrialsBench bench(1);
    bench.plan.last_steps.clear();
    bench.plan.attempts = 3;
    bench.attempts_do(std::move(scripts));
    const auto began = bench.launcher->now();
    bench.trials->start(bench.plan);
    CHECK(bench.trials->wait().size() == 1);
    return (bench.launcher->now() - began) / std::chrono::milliseconds{1};
  };
  const Script crashes{.code = 1};
  CHECK(took_ms({kWell}) == 3 * 100 + 200);
  CHECK(took_ms({kWell, kCut, kWell}) == 3 * 100 + 2 * 200);
  CHECK(took_ms({kCut, kWell, kWell}) == 3 * 100 + 200);
  CHECK(took_ms({kWell, kWell, crashes}) == 3 * 100 + 2 * 200);

  TrialsBench bench(1);
  bench.plan.last_steps.clear();
  bench.plan.attempts = 3;
  bench.attempts_do({kWell, kWell, kCut});
  bench.launcher->signal_after(550, 15);  // the third ends at 500
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().empty());
  bench.trials->stop_all();
  CHECK(bench.endings() == Words{"finished", "finished"});
}

TEST_CASE("what cannot be ended is given up after a minute") {
  TrialsBench bench;
  bench.attempts_do({{.steps = 3, .ends_after_ms = {}, .leaves_on_term_ms = {}}});
  bench.launcher->signal_after(1000, 2);
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().empty());
  const auto before = bench.launcher->now();
  bench.trials->stop_all();
  CHECK(bench.launcher->now() - before == std::chrono::minutes{1});
  CHECK_FALSE(bench.attempts().any_running());
}

}  // namespace bisectd::driver::trials_bench
