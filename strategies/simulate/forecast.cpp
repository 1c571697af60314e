#include "strategies/simulate/forecast.hpp"

#include <algorithm>
#include <numeric>

namespace bisectd::strategies {
namespace {

template <class Value>
Spread spread(const std::vector<PlayedGame>& games, Value PlayedGame::*value) {
  if (games.empty()) return {};
  std::vector<double> values;
  for (const PlayedGame& game : games) values.push_back(static_cast<double>(game.*value));
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), at(0.1), at(0.5), at(0.9), values.back()};
}

}  // namespace

Forecast simulate(const Problem& problem, const Plant& plant, std::size_t games, EngineKind engine,
                  std::size_t most_trials) {
  Forecast forecast;
  std::vector<PlayedGame> played;
  for (std::size_t i = 0; i < games; ++i) {
    const PlayedGame& game = played.emplace_back(play_planted(problem, plant, problem.seed + i, engine, most_trials));
    forecast.exact += game.exact;
    forecast.named += game.named;
    forecast.unfinished += game.state != State::proved;
  }
  const double count = static_cast<double>(std::max<std::size_t>(games, 1));
  forecast.exact /= count;
  forecast.named /= count;
  forecast.unfinished /= count;
  forecast.trials = spread(played, &PlayedGame::trials);
  forecast.fix_trials = spread(played, &PlayedGame::fix_trials);
  forecast.signatures = spread(played, &PlayedGame::signatures);
  forecast.rounds = spread(played, &PlayedGame::rounds);
  forecast.device_time = spread(played, &PlayedGame::device_time);
  forecast.time = spread(played, &PlayedGame::time);
  return forecast;
}

}  // namespace bisectd::strategies
