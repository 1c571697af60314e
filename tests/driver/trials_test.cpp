// How the attempts of a trial end, are retried and repeated, and what becomes of it.
#include "driver/trial/trials.hpp"

#include "tests/catch.hpp"
#include "tests/driver/trials_bench.hpp"

namespace bisectd::driver::trials_bench {

using How = launch::Ended::How;

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
    TrialsBench bench;
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

TEST_CASE("an end that dies twice before its first step, in the same way, is not tried further") {
  const auto dies = [](const char* says) { return Script{.steps = 0, .how = How::exited, .code = 1, .says = says}; };
  const Script first = dies("Traceback (most recent call last):\n  File \"a.py\", line 7\nImportError: no x (pid 123)\n"),
               again = dies("Traceback (most recent call last):\n  File \"a.py\", line 7\nImportError: no x (pid 4567)\n"),
               otherwise = dies("RuntimeError: device busy\n");
  const auto attempts = [](Role role, const std::vector<Script>& scripts, int wanted) {
    TrialsBench bench(1);
    bench.attempts_do(scripts);
    bench.plan.role = role;
    bench.plan.attempts = wanted;
    bench.plan.crash_retries = 2;
    bench.trials->start(bench.plan);
    const auto finished = bench.trials->wait();
    REQUIRE(finished.size() == 1);
    return std::pair(bench.endings().size(), finished.front().judgement.text);
  };
  CHECK(attempts(Role::reference, {first, again}, 8) ==
        std::pair(std::size_t{2}, std::string("exited 1: ImportError: no x (pid 4567)")));
  CHECK(attempts(Role::as_is, {first, again}, 1).first == 2);
  CHECK(attempts(Role::control, {first, again}, 1).first == 3);
  CHECK(attempts(Role::reference, {first, otherwise, again, kWell}, 3).first > 3);
  CHECK(attempts(Role::reference, {kCrash, kCrash}, 8).first > 3);  // it got as far as its third step
  CHECK(attempts(Role::reference, {first, kWell}, 3).first == 4);
}

TEST_CASE("what broke is tried again on another device if one is free") {
  for (const char* preferred : {"", "npu 0"}) {
    TrialsBench bench;
    bench.attempts_do({kCrash, kCrash, kWell});
    bench.plan.crash_retries = 2;
    if (*preferred) bench.plan.ran_on = {preferred};
    bench.trials->start(bench.plan);
    const auto finished = bench.trials->wait();
    const auto& attempts = finished.front().attempts;
    REQUIRE(attempts.size() == 3);
    CHECK(attempts[0].device != preferred);
    CHECK(attempts[1].device != attempts[0].device);
  }
}

TEST_CASE("where runs are to break, one that came to its end after one that broke is no pass") {
  for (const Role role : {Role::search, Role::certificate, Role::control, Role::as_is}) {
    INFO(name_of(role));
    TrialsBench bench;
    bench.breaking_fails = true;
    bench.attempts_do({kCrash, kWell});
    bench.plan.role = role;
    bench.plan.crash_retries = 1;
    bench.trials->start(bench.plan);
    const judge::Judgement judgement = bench.trials->wait().front().judgement;
    // Of the subject as it is the caller looks at the attempts itself.
    CHECK(judgement.verdict == (role == Role::as_is ? strategies::Verdict::pass : strategies::Verdict::inconclusive));
    if (role == Role::as_is) continue;
    CHECK(judgement.reason == "breaks-sometimes");
    CHECK(judgement.text.find("it broke in 1 of 2 runs: ") == 0);
  }
}

TEST_CASE("no further runs of a reference whose logs lack a metric; where one has it, all run") {
  {
    TrialsBench bench(2, {loss(), accuracy()});  // nothing logs the second one
    bench.plan.role = Role::reference;
    bench.plan.attempts = 5;
    bench.attempts_do({{.steps = 10}, {.steps = 10, .ends_after_ms = 300}});
    bench.trials->start(bench.plan);
    CHECK(bench.trials->wait().front().attempts.size() == 2);
  }
  for (const int values : {0, 10}) {
    TrialsBench bench;
    bench.plan.role = Role::reference;
    bench.plan.attempts = 5;
    bench.attempts_do({{.steps = 0}, {.steps = values, .ends_after_ms = 300}, {.steps = 10}});
    bench.trials->start(bench.plan);
    const auto finished = bench.trials->wait();
    REQUIRE(finished.size() == 1);
    CHECK(finished.front().judgement.reason == kMeasured);
    CHECK(finished.front().attempts.size() == (values == 0 ? 2 : 5));
    CHECK(finished.front().attempts.back().number == (values == 0 ? 2 : 5));
    CHECK_FALSE(bench.trials->any_open());
  }
}

TEST_CASE("what is inconclusive is repeated up to its limit") {
  TrialsBench bench;
  bench.verdict = strategies::Verdict::inconclusive;
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::inconclusive);
  CHECK(bench.judged_curves == 3);
}

TEST_CASE("a certain verdict ends an attempt early") {
  TrialsBench bench;
  bench.attempts_do({kNever});
  bench.end_early = bench.plan.may_end_early = true;
  bench.trials->start(bench.plan);
  CHECK(bench.trials->wait().front().judgement.verdict == strategies::Verdict::fail);
  CHECK(bench.endings() == Words{"ended-early"});
}

TEST_CASE("attempts are handed on by their numbers, in whichever order they ended, and what broke says why") {
  const Script late{.ends_after_ms = 300};
  for (const bool second_crashes : {false, true}) {
    TrialsBench bench;
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

TEST_CASE("what a trial shows is journaled before its verdict") {
  TrialsBench bench;
  bench.trials->before_judged(
      [&](const FinishedTrial& finished) { bench.journal().append(refused_record(finished.plan.number, {1}, {""})); });
  bench.trials->start(bench.plan);
  bench.trials->wait();
  const auto kinds = bench.kinds();
  CHECK(Words(kinds.end() - 2, kinds.end()) == Words{"refused", "judged"});
}

}  // namespace bisectd::driver::trials_bench
