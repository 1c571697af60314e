// A trial that a later bisectd takes up, whenever the one before was ended.
#include "tests/catch.hpp"
#include "driver/trial/samples.hpp"
#include "tests/driver/trials_bench.hpp"

namespace bisectd::driver::trials_bench {

TEST_CASE("an attempt that a later bisectd takes up is ended early, too") {
  TrialsBench bench;
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

TEST_CASE("killed at any line of the journal, a trial comes to the same end, and no finished attempt is run again") {
  TrialsBench whole;
  whole.attempts_do({kWell, kCrash, kWell});
  whole.plan.attempts = 3;
  whole.plan.crash_retries = 1;
  whole.trials->start(whole.plan);
  REQUIRE(whole.trials->wait().size() == 1);
  const std::size_t lines = whole.kinds().size();
  for (std::size_t kept = 2; kept <= lines; ++kept) {
    INFO(kept << " of " << lines << " lines");
    TrialsBench bench;
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
  TrialsBench bench(1);
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
  TrialsBench bench(4);
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

TEST_CASE("a trial that made its session fail is run again: what broke is set aside, whole runs stay") {
  for (const bool partly : {false, true}) {
    TrialsBench bench(1);
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

}  // namespace bisectd::driver::trials_bench
