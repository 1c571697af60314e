// Plays a search against planted truths whose trials have signatures.
#pragma once

#include <functional>

#include "strategies/simulate/forecast.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {

inline double normal_of(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

/// Trials with a signature: the sum of those of the active causes, rounding of 1, and what `deviating` suspects change
/// without harm. Signature trials have no verdict.
struct SignedWorld {
  std::size_t size = 0;
  Causes causes;
  Causes deviating = {};
  double least = 100;  ///< of a cause's steps, in healthy spreads; each further one is three times as large
  double offset = 0;   ///< of the device, whatever is neutralised
  bool lies = false;   ///< signatures have nothing to do with the causes
  std::uint64_t seed = 1;
  Random random{7};
  std::size_t short_ones = 0;

  std::vector<double> direction(std::uint64_t number, double length) const {
    Random own(seed * 1000 + number);
    std::vector<double> steps;
    for (int i = 0; i < 12; ++i) steps.push_back(length * normal_of(own));
    return steps;
  }

  Evidence run(const Trial& trial) {
    Evidence evidence = evidence_of(trial.neutralised, fails(causes, trial.neutralised) ? Verdict::fail : Verdict::pass);
    evidence.signature.assign(12, 0.0);
    for (double& step : evidence.signature) step = normal_of(random);
    double length = least;
    std::uint64_t number = 0;
    for (const Causes* each : {&causes, &deviating})
      for (const auto& cause : *each) {
        const std::vector<double> steps = direction(++number, lies ? 300 * random.unit() : length);
        if (lies || fails({cause}, trial.neutralised))
          for (std::size_t i = 0; i < steps.size(); ++i) evidence.signature[i] += steps[i];
        length *= 3;
      }
    const std::vector<double> of_device = direction(99, offset);
    for (std::size_t i = 0; i < 12; ++i) evidence.signature[i] += of_device[i];
    evidence.judged = trial.purpose != Purpose::signature;
    short_ones += !evidence.judged;
    return evidence;
  }
};

inline Game play_signed(SignedWorld& world, std::size_t slots = 1, std::size_t most = 400) {
  Game game;
  game.problem = problem_of(world.size, slots, world.seed);
  Search search(game.problem);
  while (game.told.size() < most) {
    const auto trials = search.ask(slots, {});
    if (trials.empty()) break;
    for (const Trial& trial : trials) {
      game.told.push_back(world.run(trial));
      search.tell(game.told.back());
    }
  }
  game.answer = search.answer();
  return game;
}

/// Plays on with one device until nothing is asked; `change`: what else the runs show.
inline void play_on(Search& search, SignedWorld& world, const std::function<void(const Trial&, Evidence&)>& change) {
  constexpr std::size_t kMost = 200;
  for (std::size_t trials = 0; trials < kMost; ++trials) {
    const auto next = search.ask(1, {});
    if (next.empty()) return;
    Evidence evidence = world.run(next.front());
    change(next.front(), evidence);
    search.tell(evidence);
  }
}

}  // namespace bisectd::strategies::testing
