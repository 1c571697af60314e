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
