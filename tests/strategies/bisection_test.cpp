// The bisections by themselves, asked and told by hand: culprits one after the other, and who fails only together.
#include "strategies/bisection.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

/// A predicate over exposed suspects: hits iff one of these is wholly exposed.
struct Predicate {
  std::size_t size;
  Causes causes;

  bool hits(const SuspectSet& exposed) const {
    return std::ranges::any_of(causes, [&](const auto& cause) { return set_of(size, cause).is_subset_of(exposed); });
  }
  Observation seen(const SuspectSet& exposed) const { return {exposed, hits(exposed) ? Outcome::hit : Outcome::clear}; }
};

/// The bisection for one of these, with what it refers to.
struct OneSearch {
  Predicate predicate;
  std::vector<double> odds;
  std::vector<Observation> history;
  Bisection ordered;
  std::size_t trials = 0;

  OneSearch(std::size_t size, Causes causes, std::uint64_t seed = 1)
      : predicate{size, std::move(causes)},
        odds(size, 1.0),
        ordered(odds, {}, SuspectSet(size), SuspectSet(size), history, seed) {}
  OneSearch(const OneSearch&) = delete;
  OneSearch& operator=(const OneSearch&) = delete;

  void observe(const Observation& seen) {
    history.push_back(seen);
    ordered.observe(seen);
  }
  void play(std::size_t slots = 1) {
    for (auto sets = ordered.ask(slots, {}); !sets.empty(); sets = ordered.ask(slots, {}))
      for (const SuspectSet& set : sets) {
        observe(predicate.seen(set));
        if (++trials > 500) throw std::runtime_error("endless bisection");
      }
  }
  /// Exposing all others is clear, and no member of found() is too many.
  bool is_right() const {
    SuspectSet all = SuspectSet(predicate.size).set();
    for (SuspectId suspect : ordered.found()) all.reset(suspect);
    return !predicate.hits(all) && std::ranges::all_of(ordered.found(), [&](SuspectId suspect) {
      SuspectSet more = all;
      return predicate.hits(more.set(suspect));
    });
  }
};

}  // namespace

TEST_CASE("ordered: for every monotone predicate over four suspects it ends with a minimal set") {
  for_each_antichain(4, [](const Causes& causes) {
    for (const std::size_t slots : {1, 3}) {
      OneSearch game(4, causes, slots);
      game.play(slots);
      REQUIRE(game.ordered.complete());
      CHECK(game.is_right());
      CHECK(game.ordered.none_left() == 1);
      CHECK(game.ordered.trials_left() == 0);
      std::vector<SuspectId> everybody = game.ordered.found();
      for (SuspectId suspect : game.ordered.others()) everybody.push_back(suspect);
      std::ranges::sort(everybody);
      CHECK(everybody == std::vector<SuspectId>{0, 1, 2, 3});
    }
  });
}

TEST_CASE("ordered: evidence that nobody asked for helps and misleads it never") {
  Random random(9);
  for (int game = 0; game < 200; ++game) {
    const std::size_t n = 3 + random.below(6);
    OneSearch told(n, random_causes(random, n), random.below(100)), asked(n, told.predicate.causes, 1);
    for (std::size_t i = random.below(20); i > 0; --i)
      told.observe(told.predicate.seen(SuspectSet(n, random.below(1U << n))));
    told.play();
    CHECK(told.ordered.complete());
    CHECK(told.is_right());
  }
}

TEST_CASE("ordered: sets that say nothing are gone around, and named where they would decide") {
  OneSearch game(6, {{4}});
  const auto silent = [&](const SuspectSet& set) { return set.count() == 3; };
  for (auto sets = game.ordered.ask(1, {}); !sets.empty(); sets = game.ordered.ask(1, {})) {
    REQUIRE(++game.trials < 60);
    game.observe(silent(sets.front()) ? Observation{sets.front(), Outcome::nothing} : game.predicate.seen(sets.front()));
  }
  CHECK(game.ordered.complete());
  CHECK(game.ordered.found() == std::vector<SuspectId>{4});

  OneSearch mute(2, {{0}});
  mute.observe({SuspectSet(2), Outcome::clear});
  mute.observe({SuspectSet(2).set(), Outcome::hit});
  mute.observe({set_of(2, {0}), Outcome::nothing});
  mute.observe({set_of(2, {1}), Outcome::nothing});
  CHECK(mute.ordered.ask(1, {}).empty());
  CHECK_FALSE(mute.ordered.complete());
  CHECK_FALSE(mute.ordered.retries().empty());
}

TEST_CASE("cause search: for every predicate over four suspects the cause of a culprit is minimal and fails alone") {
  for_each_antichain(4, [](const Causes& causes) {
    OneSearch game(4, causes);
    game.play();
    for (SuspectId culprit : game.ordered.found()) {
      Bisection search(game.odds, SuspectSet(4), culprit, game.ordered.others(), game.history, 5);
      std::size_t trials = 0;
      for (auto sets = search.ask(1, {}); !sets.empty(); sets = search.ask(1, {})) {
        REQUIRE(++trials < 30);
        game.history.push_back(game.predicate.seen(sets.front()));
        search.observe(game.history.back());
      }
      REQUIRE(search.complete());
      std::vector<SuspectId> cause = search.found();
      std::ranges::sort(cause);
      CHECK(std::ranges::count(causes, cause) == 1);
      CHECK(std::ranges::count(cause, culprit) == 1);
    }
  });
}

TEST_CASE("cause search: any cause within a set that fails, without a culprit to begin with") {
  Random random(31);
  for (int game = 0; game < 100; ++game) {
    const std::size_t n = 4 + random.below(4);
    const Predicate predicate{n, random_causes(random, n)};
    const std::vector<double> odds(n, 1.0);
    std::vector<Observation> history{predicate.seen(SuspectSet(n).set()), predicate.seen(SuspectSet(n))};
    std::vector<SuspectId> order;
    for (SuspectId suspect = 0; suspect < n; ++suspect) order.push_back(suspect);
    Bisection search(odds, SuspectSet(n), std::nullopt, order, history, 1);
    for (auto sets = search.ask(1, {}); !sets.empty() && history.size() < 100; sets = search.ask(1, {})) {
      history.push_back(predicate.seen(sets.front()));
      search.observe(history.back());
    }
    REQUIRE(search.complete());
    const SuspectSet cause = set_of(n, search.found());
    CHECK(predicate.hits(cause));
    for (SuspectId member : search.found()) {
      SuspectSet less = cause;
      CHECK_FALSE(predicate.hits(less.reset(member)));
    }
  }
}
