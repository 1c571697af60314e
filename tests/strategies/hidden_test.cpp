// What noise hides, and how it is said.
#include "strategies/hidden.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

Evidence measured_as(const Neutralised& set, double delta, std::optional<double> error) {
  Evidence evidence = evidence_of(set, Verdict::inconclusive);
  evidence.delta = delta;
  evidence.standard_error = error;
  return evidence;
}

}  // namespace

TEST_CASE("what is hidden of a set: the mean of its differences, and the least error of one trial") {
  EvidenceLog log(4, 0.05, 0.01);
  log.tell(measured_as(neutralised(4, {1}), 0.004, 0.003));
  log.tell(measured_as(neutralised(4, {1}), 0.008, 0.001));
  log.tell(measured_as(neutralised(4, {2}), 5.0, 0.0001));          // another set
  log.tell(evidence_of(neutralised(4, {1}), Verdict::unresolved));  // broke: no difference
  const Hidden hidden = hidden_in(log, *log.find(active(4, {0, 2, 3})));
  CHECK(hidden.neutralised == neutralised(4, {1}));
  CHECK(hidden.trials == 3);
  REQUIRE(hidden.difference);
  CHECK(*hidden.difference == Approx(0.006));
  CHECK(hidden.error == Approx(0.001));
  CHECK(hidden.could_hide() == Approx(0.008));  // two errors beyond what is seen
}

TEST_CASE("a set without differences hides nothing that has a size") {
  EvidenceLog log(2, 0.05, 0.01);
  log.tell(evidence_of(neutralised(2, {}), Verdict::inconclusive));
  const Hidden hidden = hidden_in(log, log.entries().front());
  CHECK_FALSE(hidden.difference);
  CHECK(hidden.could_hide() == 0);
  CHECK(text_of(hidden) == "The noise hides whether it passes with nothing neutralised, after 1 trial.");
}

TEST_CASE("what is hidden is told by the part of the runs that their verdicts are about") {
  EvidenceLog log(2, 0.02, 0.003);
  Evidence evidence = evidence_of(neutralised(2, {0}), Verdict::inconclusive);
  evidence.delta = -0.0001;  // over the part in which all runs are compared
  evidence.standard_error = 0.0003;
  evidence.by_verdict = Size{.delta = -0.0078, .standard_error = 0.0053};
  log.tell(evidence);
  const Hidden hidden = hidden_in(log, log.entries().front());
  CHECK(hidden.difference == -0.0078);
  CHECK(hidden.error == 0.0053);
}

TEST_CASE("a target that decides is rounded up to two digits, and named only where the subject is far beyond it") {
  const auto target = [](double difference, double error, std::optional<double> as_is) {
    return Hidden{.neutralised = {}, .trials = 3, .difference = difference, .error = error, .as_is = as_is}
        .deciding_target();
  };
  CHECK(target(-0.0066, 0.0043, 0.17).value() == Approx(0.016));  // 1.52 %
  CHECK(target(-0.0066, 0.0043, -0.17).value() == Approx(0.016));
  CHECK(target(0.005, 0.0025, 0.041).value() == Approx(0.010));  // nothing to round
  CHECK_FALSE(target(-0.0066, 0.0043, 0.06));
  CHECK_FALSE(target(-0.0066, 0.0043, std::nullopt));
  CHECK_FALSE(target(0, 0, 0.17));
  CHECK_FALSE(target(0.01, std::numeric_limits<double>::infinity(), 0.17));
}

TEST_CASE("the set is named by its smaller side, as long as a person can read it") {
  const auto named = [](const Neutralised& set) {
    const std::string text = text_of({.neutralised = set, .trials = 2, .difference = {}});
    const std::string before = "The noise hides whether it passes ", behind = ", after 2 trials.";
    return text.substr(before.size(), text.size() - before.size() - behind.size());
  };
  CHECK(named(neutralised(12, {3, 7})) == "with #3 and #7 neutralised");
  CHECK(named(neutralised_beside(active(12, {5}))) == "with everything but #5 neutralised");
  CHECK(named(neutralised_beside(active(12, {}))) == "with everything neutralised");
  CHECK(named(neutralised(12, {0, 1, 2, 3, 4, 5})) == "with 6 of 12 neutralised");
  CHECK(text_of({.neutralised = neutralised(2, {0}), .trials = 9, .difference = -0.004, .error = 0.01}) ==
        "The noise hides whether it passes with #0 neutralised: after 9 trials the difference there is -0.4 %, with a "
        "standard error of 1 % in each, and one of up to 2.4 % could hide in that.");
}
