// The search against brute force: every monotone predicate over up to four suspects, random ones over up to ten, with
// crashes of several kinds. A monotone predicate is its antichain of minimal failing sets (the causes).
#include <rapidcheck.h>

#include <utility>

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

// The bound asserted on every search: a bisection for each culprit and each partner, one trial for each end and each
// lone member, and the proof; a bisection whose prior is wrong costs at most twice the even one.
std::size_t bound(std::size_t n, const Answer& answer, std::size_t slots) {
  std::size_t bits = 1;
  while (std::size_t{1} << bits < n + 1) ++bits;
  std::size_t questions = answer.culprit_set.size() + 1;
  for (const auto& cause : answer.causes) questions += cause.size();
  return 2 + questions * (2 * bits + 1) * slots;
}

void check_answer(const Game& game, const Oracle& truth, std::size_t n, std::size_t slots) {
  if (game.answer.state != State::proved) throw std::runtime_error("not proved: " + game.answer.explanation);
  if (!minimal_fix(truth, n, game.answer.culprit_set)) throw std::runtime_error("not a minimal fix");
  for (const auto& cause : game.answer.causes)
    if (!minimal_cause(truth, n, cause)) throw std::runtime_error("not a minimal cause");
  for (SuspectId culprit : game.answer.culprit_set)
    if (std::none_of(game.answer.causes.begin(), game.answer.causes.end(),
                     [&](const auto& cause) { return std::find(cause.begin(), cause.end(), culprit) != cause.end(); }))
      throw std::runtime_error("a culprit without a cause");
  for (const Evidence& evidence : game.told)
    if (evidence.verdict == Verdict::fail && !fails(game.answer.causes, evidence.neutralised))
      throw std::runtime_error("a trial failed by a cause that is not named");
  if (!replays(game)) throw std::runtime_error("the certificate does not replay");
  if (game.told.size() > bound(n, game.answer, slots)) throw std::runtime_error("too many trials");
  std::set<SuspectSet> seen;
  for (const Evidence& evidence : game.told)
    if (!seen.insert(evidence.neutralised).second && !as_is_again(game, evidence))
      throw std::runtime_error("a judged set was run again");
}

void solve_random(std::uint64_t seed) {
  Random random(seed);
  const std::size_t n = 1 + random.below(10), slots = std::array<std::size_t, 3>{1, 2, 8}[random.below(3)];
  Problem problem = problem_of(n, slots, seed);
  for (Suspect& suspect : problem.suspects) suspect.odds = random.below(4) == 0 ? 20.0 : 1.0;
  const Oracle truth = exact(random_causes(random, n));
  check_answer(play(problem, truth, 1000), truth, n, slots);
}

}  // namespace

TEST_CASE("every monotone predicate over up to four suspects is solved, proved and replayed", "[often]") {
  std::size_t predicates = 0;
  for (unsigned n = 0; n <= 4; ++n)
    for_each_antichain(n, [&](const Causes& causes) {
      ++predicates;
      for (std::size_t slots : {1, 2, 8})
        for (std::uint64_t seed = 1; seed <= (slots == 1 ? 3 : 1); ++seed) {
          const Oracle truth = exact(causes);
          const Game game = play(problem_of(n, slots, seed), truth, 200);
          if (causes.empty()) REQUIRE(game.answer.state == State::aligned);
          else REQUIRE_NOTHROW(check_answer(game, truth, n, slots));
        }
    });
  CHECK(predicates == 1 + 2 + 5 + 19 + 167);  // Dedekind numbers, less the predicate that always fails
}

TEST_CASE("random monotone predicates over up to ten suspects are solved within the bound") {
  RC_ASSERT(rc::check(solve_random));
}

// A trial that came back beside the last proof, as with eight slots, and that no particle of `causes` explained.
TEST_CASE("what refutes a set of causes in the moment of its proof is heard") {
  const std::uint64_t seed = GENERATE(3813, 9491907002917);
  REQUIRE_NOTHROW(solve_random(seed));
}

TEST_CASE("sets that never resolve do not lead to a wrong answer", "[often]") {
  std::size_t proved = 0, games = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Random random(seed);
    const std::size_t n = 3 + random.below(8), slots = std::array<std::size_t, 3>{1, 2, 8}[random.below(3)];
    const Oracle truth = exact(random_causes(random, n));
    const double share = 0.05 + 0.25 * random.unit();
    const std::uint64_t salt = random.next();
    const Game game = play(
        problem_of(n, slots, seed),
        [&](const Neutralised& neutralised) {
          if (neutralised.none() || neutralised.all()) return truth(neutralised);
          if (Random(neutralised.to_ulong() * 7919 + salt).unit() < share) return Verdict::unresolved;
          return truth(neutralised);
        },
        2000);
    ++games;
    INFO("seed " << seed);
    CHECK((game.answer.state == State::proved || game.answer.state == State::stuck));
    if (game.answer.state != State::proved) {
      CHECK_FALSE(game.answer.explanation.empty());
      continue;
    }
    ++proved;
    CHECK(minimal_fix(truth, n, game.answer.culprit_set));
    for (const Claim& claim : game.answer.certificate)
      if (claim.kind == Claim::Kind::fix_passes || claim.kind == Claim::Kind::member_needed) CHECK(claim.proved);
  }
  CHECK(proved > games / 2);
}

TEST_CASE("crashes that depend on the set: pairs that cannot be neutralised together, and half-neutralised pairs") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const std::size_t n = 12 + random.below(40), slots = std::array<std::size_t, 3>{1, 2, 8}[random.below(3)];
    const Causes causes{{random.below(n)}};
    const SuspectId a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
    const bool together = random.below(2) == 0;
    if (causes[0][0] == a || causes[0][0] == b) continue;
    const Oracle truth = exact(causes);
    const Game game = play(
        problem_of(n, slots, seed),
        [&](const Neutralised& neutralised) {
          const bool crash =
              together ? neutralised.test(a) && neutralised.test(b) : neutralised.test(a) && !neutralised.test(b);
          return crash ? Verdict::unresolved : truth(neutralised);
        },
        2000);
    INFO("seed " << seed << " " << game.answer.explanation);
    CHECK(game.answer.state == State::proved);
    CHECK(game.answer.culprit_set == causes[0]);
    CHECK(game.told.size() < 40 * slots);
  }
}

TEST_CASE("the same evidence gives the same trials, whether asked after every trial or only at the end") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const std::size_t n = 20 + random.below(100);
    const Causes causes = random_causes(random, n);
    const Game game = play(problem_of(n, 2, seed), [&](const Neutralised& neutralised) {
      if (!neutralised.none() && !neutralised.all() && random.below(10) == 0) return Verdict::unresolved;
      return fails(causes, neutralised) ? Verdict::fail : Verdict::pass;
    });
    const std::size_t cut = random.below(game.told.size());
    Search whole(problem_of(n, 2, seed)), chatty(problem_of(n, 2, seed));
    for (std::size_t i = 0; i < cut; ++i) {
      whole.tell(game.told[i]);
      chatty.tell(game.told[i]);
      chatty.ask(3, {});
      chatty.answer();
    }
    const auto a = whole.ask(3, {}), b = chatty.ask(3, {});
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].neutralised == b[i].neutralised);
    CHECK(whole.answer().guilt == chatty.answer().guilt);
  }
}

TEST_CASE("a failure that is gone after the first trial accuses nobody") {
  const EngineKind engine = GENERATE(EngineKind::automatic, EngineKind::ordered, EngineKind::causes);
  const std::size_t n = GENERATE(4, 8, 24);
  for (std::size_t slots : {1, 4}) {
    bool first = true;
    const Oracle healed = [&](const Neutralised&) { return std::exchange(first, false) ? Verdict::fail : Verdict::pass; };
    CHECK(play(problem_of(n, slots), healed, 20000, engine).answer.state != State::proved);
  }
}
