// When the same set is worth another trial, and when nothing runs any more.
#include "strategies/patience.hpp"

#include <utility>

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

constexpr double kNoise = 0.05;

/// A log of one set, told these.
struct OneSet {
  EvidenceLog log;

  OneSet(double flip, std::initializer_list<Verdict> verdicts) : log(2, flip, 0.01) {
    for (const Verdict verdict : verdicts) log.tell(evidence_of(neutralised(2, {0}), verdict));
  }
  const LogEntry& entry() const { return log.entries().front(); }
  bool worth() const { return worth_asking(log, &entry()); }
  bool hidden() const { return hidden_by_noise(log, &entry()); }
};

}  // namespace

TEST_CASE("a set is worth asking until it is decided, or was asked in vain often enough") {
  const EvidenceLog empty(2, 0.0, 0.01);
  CHECK(worth_asking(empty, nullptr));
  for (const double flip : {0.0, kNoise}) {
    INFO("flip " << flip);
    CHECK(OneSet(flip, {kBroke, kBroke}).worth());
    CHECK_FALSE(OneSet(flip, {kBroke, kBroke, kBroke}).worth());  // a run that breaks mostly breaks again
    CHECK_FALSE(OneSet(flip, {kFail, kFail}).worth());            // decided
  }
  // Where no verdict is wrong, a judge that cannot tell thrice cannot tell; where noise hides it, the next vote may.
  CHECK_FALSE(OneSet(0, {kUndecided, kUndecided, kUndecided}).worth());
  Evidence vote = evidence_of(neutralised(2, {0}), kUndecided);
  for (const auto& [p_bad, votes] : {std::pair(0.4, 9), std::pair(0.5, 4), std::pair(0.48, 4)}) {
    vote.p_bad = p_bad;
    OneSet noisy(kNoise, {});
    for (int told = 0; told < votes; ++told) {
      CHECK((told == 0 || noisy.worth()));
      CHECK((told == 0 || !noisy.hidden()));
      noisy.log.tell(vote);
    }
    CHECK_FALSE(noisy.worth());
    CHECK(noisy.hidden());
  }
  CHECK(OneSet(kNoise, {kUndecided, kUndecided, kUndecided, kPass}).worth());  // one said something
}

TEST_CASE("what measures the same to the last bit is not run a third time where verdicts are exact") {
  Evidence vote = evidence_of(neutralised(2, {0}), kUndecided);
  vote.delta = 0.004;
  vote.standard_error = 0.001;
  for (const double other : {0.004, 0.0041})
    for (const double flip : {0.0, kNoise}) {
      OneSet set(flip, {});
      set.log.tell(vote);
      CHECK(set.worth());
      Evidence again = vote;
      again.delta = other;
      set.log.tell(again);
      CHECK(set.worth() == (flip > 0 || other != *vote.delta));
      CHECK(set.hidden() != set.worth());
    }
}

TEST_CASE("passes of what passed before do not keep a search going where verdicts are exact") {
  constexpr std::size_t kEnough = 96;  // patience.cpp
  for (const double flip : {0.0, kNoise}) {
    EvidenceLog log(3, flip, 0.01);
    log.tell(evidence_of(neutralised(3, {0}), kPass));
    for (std::size_t i = 0; i < kEnough; ++i) {
      log.tell(evidence_of(neutralised(3, {1, 2}), kUndecided));
      log.tell(evidence_of(neutralised(3, {0, 1}), kPass));
    }
    CHECK(all_is_silent(log, 1, nullptr) == (flip <= 0));
  }
}

TEST_CASE("noise hides nothing that broke, that was decided, or that passed and failed where verdicts are exact") {
  OneSet broke(kNoise, {kBroke, kBroke, kBroke, kBroke, kBroke, kBroke, kBroke, kBroke, kBroke});
  CHECK_FALSE(broke.hidden());
  CHECK_FALSE(OneSet(kNoise, {kPass, kPass, kPass}).hidden());
  CHECK_FALSE(OneSet(0, {kPass, kFail, kPass, kFail}).hidden());
  CHECK(OneSet(0, {kUndecided, kUndecided, kUndecided}).hidden());
  CHECK_FALSE(hidden_by_noise(broke.log, nullptr));
}

TEST_CASE("one set that passed and failed is asked again, where neither should be possible, until it is settled") {
  const auto disputed = [](const OneSet& set) { return is_disputed(set.log, set.entry()); };
  CHECK_FALSE(disputed(OneSet(0, {kFail})));
  CHECK(disputed(OneSet(0, {kFail, kPass})));
  CHECK_FALSE(disputed(OneSet(0, {kFail, kPass, kPass})));  // a majority
  CHECK(disputed(OneSet(0, {kFail, kPass, kBroke, kBroke})));
  CHECK_FALSE(disputed(OneSet(0, {kFail, kPass, kBroke, kBroke, kBroke})));  // it never will be
  CHECK_FALSE(disputed(OneSet(kNoise, {kFail, kPass})));                     // a wrong verdict is no surprise
}

TEST_CASE("each side of a contradiction is worth three verdicts, and three more with noise") {
  const auto worth = [](const OneSet& set) { return worth_settling(set.log, set.entry()); };
  CHECK(worth(OneSet(0, {kFail, kFail})));
  CHECK_FALSE(worth(OneSet(0, {kFail, kFail, kFail})));
  CHECK(worth(OneSet(kNoise, {kFail, kFail, kFail, kFail, kFail})));
  CHECK_FALSE(worth(OneSet(kNoise, {kFail, kFail, kFail, kFail, kFail, kFail})));
}

TEST_CASE("noise may leave an end open after three trials; exact verdicts, a crash and a decided end do not") {
  const auto may = [](const OneSet& set) { return may_stay_open(set.log, set.entry()); };
  CHECK_FALSE(may(OneSet(kNoise, {kUndecided, kUndecided})));
  CHECK(may(OneSet(kNoise, {kUndecided, kUndecided, kUndecided})));
  CHECK(may(OneSet(kNoise, {kUndecided, kBroke, kUndecided})));
  CHECK_FALSE(may(OneSet(0, {kUndecided, kUndecided, kUndecided})));
  CHECK_FALSE(may(OneSet(kNoise, {kBroke, kBroke, kBroke})));
  CHECK_FALSE(may(OneSet(kNoise, {kFail, kFail, kFail})));
}

TEST_CASE("an engine that another one can go on from gives up after a third of the silence, whatever the slots") {
  CHECK(most_silent_sets(1) == 32);
  CHECK(most_silent_sets(8) == 32);
  CHECK(most_silent_sets(64) == 256);
}

TEST_CASE("so many trials in a row said nothing that the next would not either; a known set does not count") {
  const std::size_t slots = 20, enough = 120;  // six rounds of all slots, and 96 at least
  EvidenceLog log(10, 0.0, 0.01);
  log.tell(evidence_of(neutralised(10, {}), kFail));
  const LogEntry known = log.entries().front();
  for (std::size_t i = 0; i < enough; ++i) {
    CHECK_FALSE(all_is_silent(log, slots, nullptr));
    log.tell(evidence_of(Neutralised(SuspectSet(10, 1 + i)), kBroke));
    if (i % 8 == 0) log.tell(evidence_of(neutralised(10, {}), kFail));
    CHECK(all_is_silent(log, slots, log.find(known.active)) == (i + 1 >= enough));
  }
  CHECK(all_is_silent(log, 1, log.find(known.active)));
}

TEST_CASE("nor does a verdict now and then among as many") {
  for (const bool often : {false, true}) {
    EvidenceLog log(12, 0.0, 0.01);
    for (std::size_t i = 0; i < 96; ++i) {
      CHECK_FALSE(all_is_silent(log, 1, nullptr));
      const bool speaks = i % (often ? 5 : 12) == 0;
      log.tell(evidence_of(Neutralised(SuspectSet(12, 1 + i)), speaks ? kFail : kBroke));
    }
    CHECK(all_is_silent(log, 1, nullptr) == !often);
  }
}

TEST_CASE("an outage: eight breaks in a row are suspicious, and the set that is known to run tells") {
  Outage outage;
  constexpr bool kKnown = true, kOther = false, kRan = true, kBroken = false;
  for (int i = 0; i < 7; ++i) outage.tell(kOther, kBroken);
  CHECK_FALSE(outage.check_due());
  outage.tell(kOther, kRan);
  for (int i = 0; i < 7; ++i) outage.tell(kOther, kBroken);
  CHECK_FALSE(outage.check_due());  // not in a row
  outage.tell(kOther, kBroken);
  REQUIRE(outage.check_due());
  CHECK_FALSE(outage.on());

  SECTION("it runs: what is neutralised breaks the others, and it is asked the more seldom") {
    CHECK_FALSE(outage.tell(kKnown, kRan));
    CHECK_FALSE(outage.check_due());
    for (int i = 0; i < 23; ++i) outage.tell(kOther, kBroken);
    CHECK_FALSE(outage.check_due());
    outage.tell(kOther, kBroken);  // four times as many as before, those counted with
    CHECK(outage.check_due());
  }
  SECTION("it breaks as well: nothing runs, until something does") {
    CHECK_FALSE(outage.tell(kKnown, kBroken));
    CHECK(outage.on());
    CHECK(outage.check_due());
    CHECK_FALSE(outage.tell(kOther, kBroken));
    CHECK(outage.tell(kKnown, kRan));  // and what broke since shows nothing
    CHECK_FALSE(outage.on());
    CHECK_FALSE(outage.check_due());
  }
}

TEST_CASE("the set that is known to run may break alone now and then: that is no outage") {
  Outage outage;
  CHECK_FALSE(outage.tell(true, false));
  CHECK_FALSE(outage.on());
  CHECK_FALSE(outage.check_due());
}
