// Small cells of `bench_search`: how many trials whole searches take. A search is a pure function of the problem and a seed,
// so each figure is what it was when it was written here, until somebody changes the search: not a bound with a margin.
// Whoever makes one smaller writes the new figure here.
#include "strategies/simulate/forecast.hpp"
#include "tests/catch.hpp"

namespace bisectd::strategies {
namespace {

using Sizes = std::vector<std::size_t>;

struct Cell {
  const char* what;
  std::size_t slots;
  Plant plant;
  double trials, rounds;  // mean, the ends not counted
};

constexpr std::size_t kSuspects = 100, kGames = 4;

Forecast played(const Cell& cell) {
  Problem problem;
  problem.suspects.resize(kSuspects);
  problem.slots = cell.slots;
  problem.flip_probability = cell.plant.flip;
  problem.seed = 1000;
  return simulate(problem, cell.plant, kGames);
}

}  // namespace

TEST_CASE("searches take as many trials as they did", "[often]") {
  const Plant three{.cause_sizes = Sizes(3, 1), .signature_steps = 12, .interaction = 0.3};
  Plant cancelling = three;
  cancelling.effect_noise = 0.1;
  cancelling.mixed_signs = true;
  const Plant eight{.cause_sizes = Sizes(8, 1), .signature_steps = 12, .interaction = 0.3};
  const Plant single_and_pair{.cause_sizes = {1, 2}, .signature_steps = 12, .interaction = 0.3};
  const Cell cell =
      GENERATE_REF(values<Cell>({{"one, verdicts", 1, {.cause_sizes = {1}}, 9, 9},
                                 {"three, verdicts", 1, {.cause_sizes = Sizes(3, 1)}, 23.5, 23.5},
                                 {"a pair, verdicts", 1, {.cause_sizes = {2}}, 17, 17},
                                 {"three, verdicts, eight devices", 8, {.cause_sizes = Sizes(3, 1)}, 33.75, 4.25},
                                 {"three, 5 % of verdicts wrong", 1, {.cause_sizes = Sizes(3, 1), .flip = 0.05}, 37, 37},
                                 {"three, crashes", 1, {.cause_sizes = Sizes(3, 1), .crash = 0.1}, 26, 26},
                                 {"three that may cancel, signatures", 1, cancelling, 11.75, 11.75},
                                 {"three that may cancel, signatures, eight devices", 8, cancelling, 13.75, 2.25},
                                 {"three, signatures", 1, three, 12.25, 12.25},
                                 {"three, signatures, eight devices", 8, three, 15, 2.5},
                                 {"eight, signatures", 1, eight, 23.5, 23.5},
                                 {"one and a pair, signatures", 1, single_and_pair, 20, 20}}));
  INFO(cell.what);
  const Forecast forecast = played(cell);
  CHECK(forecast.exact == 1);
  CHECK(forecast.trials.mean == Approx(cell.trials));
  CHECK(forecast.rounds.mean == Approx(cell.rounds));
}

}  // namespace bisectd::strategies
