// The games that plan a night: the planted truth, and what many games come to.
#include "strategies/simulate/forecast.hpp"

#include "strategies/simulate/truth.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("simulate: the same games again, and their spread in order") {
  const Plant plant{.cause_sizes = {1, 2}};
  const Forecast one = simulate(problem_of(64), plant, 10), again = simulate(problem_of(64), plant, 10);
  CHECK(one.trials.mean == again.trials.mean);
  CHECK(one.named == 1.0);
  CHECK(one.unfinished == 0.0);
  CHECK(one.trials.p10 <= one.trials.median);
  CHECK(one.trials.median <= one.trials.p90);
  CHECK(one.trials.p90 <= one.trials.most);
}

TEST_CASE("a planted truth fails by its causes alone, and its fix is the fix that brute force finds") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = problem_of(8);
    const PlantedTruth truth(problem, {.cause_sizes = {1, 2}}, seed);
    REQUIRE(truth.causes().size() == 2);
    for (unsigned mask = 0; mask < 256; ++mask) {
      const Neutralised off(SuspectSet(8, mask));
      CHECK(truth.fails(active_beside(off)) == fails(truth.causes(), off));
      const bool minimal = minimal_fix(exact(truth.causes()), 8, members_of(off));
      CHECK(truth.is_minimal_fix(members_of(off)) == minimal);
    }
  }
}

TEST_CASE("all that is wanted is planted where there are enough suspects, and else it is said") {
  CHECK(PlantedTruth(problem_of(3), {.cause_sizes = {1, 2}}, 1).whole());
  CHECK_FALSE(PlantedTruth(problem_of(3), {.cause_sizes = {2, 2}}, 1).whole());
}

TEST_CASE("the same set breaks every time; the ends, the causes alone and the fix never do") {
  PlantedTruth truth(problem_of(10), {.cause_sizes = {1, 2}, .crash = 0.9}, 3);
  std::size_t broken = 0;
  for (unsigned mask = 0; mask < 1024; ++mask) {
    const Neutralised off(SuspectSet(10, mask));
    const Verdict once = truth.run(off).verdict;
    CHECK(once == truth.run(off).verdict);
    broken += once == Verdict::unresolved;
  }
  CHECK(broken > 800);
  for (const auto& cause : truth.causes()) {
    CHECK(truth.run(neutralised_beside(active(10, cause))).verdict == Verdict::fail);
    CHECK(truth.run(neutralised(10, cause)).verdict != Verdict::unresolved);
  }
  CHECK(truth.run(neutralised(10, {})).verdict == Verdict::fail);
  CHECK(truth.run(neutralised_beside(active(10, {}))).verdict == Verdict::pass);
}

TEST_CASE("without rounding signatures of lone causes add up, on top of what the device differs by") {
  const Plant plant{.cause_sizes = {1, 1},
                    .signature_steps = 5,
                    .interaction = 0,
                    .rounding = 0,
                    .least_benign = 1e-30,
                    .most_benign = 1e-30};
  PlantedTruth truth(problem_of(6), plant, 9);
  const auto steps = [&](const Active& set) { return truth.run(neutralised_beside(set)).signature; };
  const auto nothing = steps(active(6, {})), both = steps(as_it_is(6));
  const auto one = steps(active(6, truth.causes()[0])), other = steps(active(6, truth.causes()[1]));
  for (std::size_t i = 0; i < 5; ++i) CHECK(both[i] == Approx(one[i] + other[i] - nothing[i]));
}

TEST_CASE("of wrong verdicts there are as many as asked for, and the judge does not know which") {
  PlantedTruth truth(problem_of(6), {.cause_sizes = {1}, .flip = 0.2}, 2);
  int wrong = 0;
  for (int i = 0; i < 5000; ++i) {
    const Evidence evidence = truth.run(neutralised(6, {}));
    wrong += evidence.verdict == Verdict::pass;
    REQUIRE(std::min(evidence.p_bad, 1 - evidence.p_bad) < 0.001);
  }
  CHECK(wrong == Approx(1000).margin(100));
}
