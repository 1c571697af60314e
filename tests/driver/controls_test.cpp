#include "driver/loop/controls.hpp"

#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::driver {
namespace {

using strategies::Claim;
using strategies::Neutralised;
using strategies::Verdict;

const neutralise::Catalogue kThreeOps({{"ops", "a"}, {"ops", "b"}, {"ops", "c"}});

Neutralised ops_off(std::vector<strategies::SuspectId> ids) { return Neutralised(kThreeOps.set_of(ids)); }

std::vector<std::pair<Neutralised, Verdict>> control_sets(const strategies::Answer& answer, bool all_claims = false) {
  std::vector<std::pair<Neutralised, Verdict>> sets;
  for (const Control& control : controls_of(answer, kThreeOps, all_claims))
    sets.emplace_back(control.neutralised, control.expected);
  return sets;
}

using Sets = std::vector<std::pair<Neutralised, Verdict>>;

TEST_CASE("where trials of one set disagree each trial of the certificate is a control") {
  strategies::Answer answer{.culprit_set = {1}};
  answer.certificate.push_back({.kind = Claim::Kind::cause_fails,
                                .subject = {1},
                                .neutralised = ops_off({0, 2}),
                                .expected = Verdict::fail,
                                .proved = true});
  answer.certificate.push_back({.kind = Claim::Kind::cause_minimal,
                                .subject = {1},
                                .neutralised = ops_off({0, 1}),
                                .expected = Verdict::pass,
                                .proved = true});
  const Sets plain{{ops_off({1}), Verdict::pass}, {ops_off({}), Verdict::fail}};
  CHECK(control_sets(answer) == plain);
  CHECK(control_sets(answer, true) == Sets{{ops_off({1}), Verdict::pass},
                                           {ops_off({0, 1}), Verdict::pass},
                                           {ops_off({0, 2}), Verdict::fail},
                                           {ops_off({}), Verdict::fail}});
}

// Brute force: which verdicts are wrong is known here. The search takes each of them for exact, so it may prove an innocent.
TEST_CASE("no innocent that a few wrong verdicts accuse stands up to the controls") {
  constexpr std::size_t kSuspects = 12, kGames = 300;
  constexpr std::uint64_t kWrongPercent = 2;
  std::vector<neutralise::Member> names;
  for (std::size_t i = 0; i < kSuspects; ++i) names.push_back({"ops", "op" + std::to_string(i)});
  const neutralise::Catalogue catalogue(names);
  std::size_t accused = 0;
  for (std::uint64_t seed = 1; seed <= kGames; ++seed) {
    strategies::Random random(seed);
    const auto other_than = [&](strategies::SuspectId taken) {
      return (taken + 1 + random.below(kSuspects - 1)) % kSuspects;
    };
    const strategies::SuspectId first = random.below(kSuspects);
    strategies::testing::Causes truth{{first}};
    if (seed % 3 == 1) truth.front().push_back(other_than(first));
    if (seed % 3 == 2) truth.push_back({other_than(first)});
    const strategies::testing::Oracle real = strategies::testing::exact(truth);
    const strategies::testing::Game game = strategies::testing::play(
        strategies::testing::problem_of(kSuspects, 1, seed),
        [&](const Neutralised& off) {
          const Verdict verdict = real(off);
          if (random.below(100) >= kWrongPercent) return verdict;
          return verdict == Verdict::pass ? Verdict::fail : Verdict::pass;
        },
        200);
    if (game.answer.state != strategies::State::proved) continue;
    std::set<strategies::SuspectId> guilty;
    for (const auto& cause : truth) guilty.insert(cause.begin(), cause.end());
    const bool wrong = std::ranges::any_of(game.answer.causes, [&](const auto& cause) {
      return std::ranges::any_of(cause, [&](strategies::SuspectId member) { return !guilty.contains(member); });
    });
    if (!wrong) continue;
    ++accused;
    INFO("seed " << seed);
    CHECK(std::ranges::any_of(controls_of(game.answer, catalogue, false),
                              [&](const Control& control) { return real(control.neutralised) != control.expected; }));
  }
  CHECK(accused > 0);
}

}  // namespace
}  // namespace bisectd::driver
