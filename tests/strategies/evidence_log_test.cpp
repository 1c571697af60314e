// The log of all trials: what a verdict weighs, when a set is settled, what follows from one set for others.
#include "strategies/evidence_log.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

Evidence verdict_with(const Neutralised& set, Verdict verdict, double p_bad) {
  Evidence evidence = evidence_of(set, verdict);
  evidence.p_bad = p_bad;
  return evidence;
}

Evidence first_steps_of(const Neutralised& set, std::vector<double> signature) {
  Evidence evidence = evidence_of(set, Verdict::inconclusive);
  evidence.signature = std::move(signature);
  evidence.judged = false;
  return evidence;
}

// Whatever may be told, of few sets, so that they are told again and contradict each other.
Evidence any_evidence(Random& random, std::size_t suspects) {
  Neutralised set = neutralised(suspects, {});
  for (SuspectId suspect = 0; suspect < suspects; ++suspect) set.set(suspect, random.below(2) == 0);
  const Verdict verdict =
      std::array{Verdict::pass, Verdict::fail, Verdict::inconclusive, Verdict::unresolved}[random.below(4)];
  const double doubt = 0.3 * random.unit();
  return verdict_with(set, verdict, verdict == Verdict::fail ? 1 - doubt : verdict == Verdict::pass ? doubt : random.unit());
}

}  // namespace

TEST_CASE("verdicts of both kinds about differences at the target itself are none, though runs repeat themselves") {
  const auto measured = [](const Neutralised& set, Verdict verdict, double p_bad, double delta) {
    Evidence evidence = verdict_with(set, verdict, p_bad);
    evidence.delta = delta;
    evidence.standard_error = 0.0007;
    return evidence;
  };
  const Neutralised first = neutralised(3, {0}), second = neutralised(3, {1}), third = neutralised(3, {2});
  const auto verdict_of = [](const EvidenceLog& log, const Neutralised& set) {
    return log.find(active_beside(set))->verdict;
  };
  EvidenceLog log(3, 0.0, 0.003);
  log.tell(measured(third, Verdict::fail, 0.99, 0.0052));
  log.tell(measured(first, Verdict::fail, 0.57, 0.0052));
  CHECK(verdict_of(log, first) == Verdict::fail);
  SECTION("no further apart than the error of that") {
    const auto change = log.tell(measured(second, Verdict::pass, 0.27, 0.0043));
    CHECK(change.value().others);
    CHECK(verdict_of(log, first) == Verdict::inconclusive);
    CHECK(verdict_of(log, second) == Verdict::inconclusive);
    CHECK(log.find(active_beside(first))->judged() == 0);
    CHECK_FALSE(log.tell(measured(second, Verdict::pass, 0.27, 0.0043)).value().others);
    CHECK(verdict_of(log, second) == Verdict::inconclusive);
  }
  SECTION("further apart") {
    log.tell(measured(second, Verdict::pass, 0.27, 0.0041));
    CHECK(verdict_of(log, first) == Verdict::fail);
    CHECK(verdict_of(log, second) == Verdict::pass);
  }
  SECTION("to the other side") {
    log.tell(measured(second, Verdict::pass, 0.27, -0.0047));
    CHECK(verdict_of(log, first) == Verdict::fail);
  }
  SECTION("surely within the target") {
    log.tell(measured(second, Verdict::pass, 0.1, 0.0047));
    CHECK(verdict_of(log, first) == Verdict::fail);
    CHECK(verdict_of(log, second) == Verdict::pass);
  }
  CHECK(verdict_of(log, third) == Verdict::fail);
}

TEST_CASE("with noise a small difference to the other side than the subject's may be what the references are off by") {
  for (const double difference : {-0.009, -0.02, 0.009}) {
    EvidenceLog log(3, 0.02, 0.003);
    const auto tell = [&](const Neutralised& set, double delta) {
      Evidence evidence = verdict_with(set, Verdict::fail, 0.98);
      evidence.delta = delta;
      evidence.standard_error = 0.004;
      log.tell(evidence);
    };
    tell(neutralised(3, {}), 0.015);
    for (int repeat = 0; repeat < 4; ++repeat) tell(neutralised(3, {1}), difference);
    CAPTURE(difference);
    const bool counts = difference != -0.009;
    CHECK((log.find(active_beside(neutralised(3, {1})))->verdict == Verdict::fail) == counts);
    CHECK(log.doubt(log.told().back()) == Approx(counts ? 0.02 : 0.5));
  }
}

TEST_CASE("a trial of which only the first steps were looked at is told, and says nothing of its set") {
  EvidenceLog log(3, 0.0, 0.01);
  const Neutralised set = neutralised(3, {0});
  CHECK_FALSE(log.tell(first_steps_of(set, {1, 2})));
  CHECK(log.find(active_beside(set)) == nullptr);
  CHECK(log.told().size() == 1);
  CHECK(log.signed_trials().size() == 1);
  log.tell(first_steps_of(set, {3, 4}));
  CHECK(log.signature_of(active_beside(set)) == std::vector<double>{1, 2});  // of the first one
  CHECK(log.signature_of(as_it_is(3)).empty());
  // Where its first steps were lost it said nothing, and counts like one that noise hides.
  REQUIRE(log.tell(first_steps_of(set, {})));
  CHECK(log.find(active_beside(set))->inconclusive == 1);
  CHECK(log.signed_trials().size() == 2);
}

TEST_CASE("whatever is told: contradictions and votes are those that a scan of the entries finds") {
  for (const double flip : {0.0, 0.05}) {
    Random random(11);
    for (int game = 0; game < 60; ++game) {
      EvidenceLog log(3, flip, 0.01);
      for (int i = 0; i < 12; ++i) log.tell(any_evidence(random, 3));
      bool contradicts = false;
      int told = 0;
      double outvoted = 0, votes = 0;
      for (const LogEntry& fail : log.entries()) {
        told += fail.told();
        if (fail.judged() > 1) outvoted += std::min(fail.passes, fail.fails), votes += fail.judged();
        for (const LogEntry& pass : log.entries())
          contradicts = contradicts || (fail.verdict == Verdict::fail && pass.verdict == Verdict::pass &&
                                        fail.active.is_subset_of(pass.active));
      }
      CHECK(log.contradiction().has_value() == contradicts);
      CHECK(told == 12);
      CHECK(log.believed_flip() == Approx(std::min(0.25, (1 + outvoted) / (25 + votes))));
    }
  }
}

TEST_CASE("another flip chance makes of a log what it were had it been told with that one") {
  Random random(3);
  for (int game = 0; game < 40; ++game) {
    EvidenceLog revised(3, 0.02, 0.01), fresh(3, 0.15, 0.01);
    for (int i = 0; i < 15; ++i) {
      const Evidence evidence = any_evidence(random, 3);
      revised.tell(evidence);
      fresh.tell(evidence);
    }
    std::vector<Verdict> before;
    for (const LogEntry& entry : revised.entries()) before.push_back(entry.verdict);
    bool changed = false;
    const bool said_so = revised.set_flip(0.15);
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK(revised.entries()[i].bits == Approx(fresh.entries()[i].bits).margin(1e-9));
      CHECK(revised.entries()[i].verdict == fresh.entries()[i].verdict);
      changed = changed || revised.entries()[i].verdict != before[i];
    }
    CHECK(said_so == changed);
    CHECK(revised.contradiction().has_value() == fresh.contradiction().has_value());
  }
}
