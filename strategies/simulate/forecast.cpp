#include "strategies/simulate/forecast.hpp"

#include <algorithm>
#include <numeric>

#include "strategies/simulate/truth.hpp"

namespace bisectd::strategies {
namespace {

// Both ends are free, and never wrong.
void tell_ends(Search& search, PlantedTruth& truth) {
  for (;;) {
    const std::vector<Trial> trials = search.ask(1, {});
    if (trials.empty()) return;
    const Trial& trial = trials.front();
    if (trial.purpose != Purpose::subject_as_is && trial.purpose != Purpose::everything_neutralised) return;
    Evidence evidence = truth.run(trial.neutralised);
    const bool bad = truth.fails(active_beside(trial.neutralised));
    evidence.verdict = bad ? Verdict::fail : Verdict::pass;
    evidence.p_bad = bad ? 1 : 0;
    search.tell(evidence);
  }
}

bool fix_proved(const Answer& answer) {
  bool any = false;
  for (const Claim& claim : answer.certificate) {
    if (claim.kind != Claim::Kind::fix_passes && claim.kind != Claim::Kind::member_needed) continue;
    if (!claim.proved) return false;
    any = true;
  }
  return any;
}

// What a trial takes: longer by the share of the load that is neutralised.
class TrialTime {
 public:
  TrialTime(const Problem& problem, const Plant& plant) : slowdown_(plant.slowdown), load_(plant.load) {
    if (load_.empty())
      for (const Suspect& suspect : problem.suspects) load_.push_back(suspect.price);
    whole_ = std::accumulate(load_.begin(), load_.end(), 0.0);
  }

  double of(const Neutralised& neutralised) const {
    if (whole_ <= 0) return 1;
    double load = 0;
    for (SuspectId i : members_of(neutralised)) load += load_[i];
    return 1 + (slowdown_ - 1) * load / whole_;
  }

 private:
  double slowdown_, whole_ = 0;
  std::vector<double> load_;
};

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

PlayedGame play_planted(const Problem& problem, const Plant& plant, std::uint64_t seed, EngineKind engine,
                        std::size_t most_trials) {
  Problem mine = problem;
  mine.seed = seed;
  PlantedTruth truth(mine, plant, seed);
  const TrialTime trial_time(mine, plant);
  truth.hint(mine.suspects);

  Search search(mine, engine);
  tell_ends(search, truth);

  PlayedGame game;
  while (game.trials < most_trials) {
    const std::vector<Trial> trials = search.ask(mine.slots, {});
    if (trials.empty()) break;
    ++game.rounds;
    game.trials += trials.size();
    double longest = 0;
    for (const Trial& trial : trials) {
      Evidence evidence = truth.run(trial.neutralised);
      evidence.judged = trial.purpose != Purpose::signature || evidence.verdict == Verdict::unresolved;
      game.signatures += trial.purpose == Purpose::signature;
      search.tell(evidence);
      const double time = trial_time.of(trial.neutralised) * (evidence.judged ? 1 : plant.signature_length);
      game.device_time += time;
      longest = std::max(longest, time);
    }
    game.time += longest;
    if (game.fix_trials == 0 && fix_proved(search.answer())) game.fix_trials = game.trials;
  }
  const Answer& answer = search.answer();
  game.state = answer.state;
  game.confidence = answer.confidence;
  game.exact = game.state == State::proved && truth.is_minimal_fix(answer.culprit_set);
  game.named = game.state == State::proved && answer.causes == truth.causes();
  return game;
}

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
