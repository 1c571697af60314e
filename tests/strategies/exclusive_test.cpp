// Exclusive groups where neutralising does harm of its own, which no relation says.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

/// Whether the answer says that this cause was shown to fail.
bool shows_cause(const Answer& answer, const std::vector<SuspectId>& cause) {
  return std::ranges::any_of(answer.certificate, [&](const Claim& claim) {
    return claim.kind == Claim::Kind::cause_fails && claim.proved && claim.subject == cause;
  });
}

}  // namespace

TEST_CASE("a trial with another choice of an exclusive group shows no cause of this one") {
  // 1 and 3 are exclusive, and only 1 goes wrong when it is neutralised: 3 alone is right beside an active 1.
  const std::vector<std::vector<SuspectId>> right{{1}, {0, 1}, {1, 2}, {0, 1, 2}, {1, 3}, {0, 1, 3}, {1, 2, 3}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Problem problem = problem_of(4, 1, seed);
    problem.exclusive = {{1, 3}};
    const Game game = play(problem, [&](const Neutralised& off) {
      return std::ranges::count(right, members_of(active_beside(off))) ? kPass : kFail;
    });
    CHECK_FALSE(shows_cause(game.answer, {3}));
  }
}

TEST_CASE("a search ends where every choice of an exclusive group does harm") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    for (const std::size_t slots : {1, 2}) {
      INFO("seed " << seed << ", " << slots << " at a time");
      Problem problem = problem_of(6, slots, seed);
      problem.exclusive = {{0, 1, 2}};
      const auto oracle = [](const Neutralised& off) {
        return !off.test(3) || off.test(0) || off.test(1) || off.test(2) ? kFail : kPass;
      };
      Game game;
      CHECK_NOTHROW(game = play(problem, oracle, 200));
      if (game.answer.state == State::proved) CHECK(game.answer.culprit_set == std::vector<SuspectId>{3});
    }
}
