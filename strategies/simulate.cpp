// A planted truth as an oracle, one game after the other, and the spread over the games.
#include "strategies/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "strategies/random.hpp"
#include "strategies/relations.hpp"

namespace bisectd::strategies {
namespace {

constexpr double kHealthySpread = 2e-6;  // two healthy runs, relative: the unit of signatures, whose rounding is half of it
constexpr double kClaimedDoubt = 1e-4;   // of a judge that knows nothing of the flips

// Sum of twelve uniform numbers: close enough to normal for a yardstick, and the same on every machine.
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

class PlantedTruth {
 public:
  PlantedTruth(const Problem& problem, const Plant& plant, std::uint64_t seed)
      : plant_(plant),
        relations_(problem),
        random_(seed * 7919 + 17),
        salt_(random_.next()),
        culprits_(problem.suspects.size()) {
    const std::size_t size = culprits_.size();
    SuspectSet taken(size);
    for (std::size_t wanted : plant.cause_sizes) {
      std::vector<SuspectId> cause;
      while (cause.size() < wanted && !taken.all()) {
        const SuspectId suspect = random_.below(size);
        if (!taken.test(suspect)) {
          culprits_.set(suspect);
          taken |= related(problem, suspect);
          cause.push_back(suspect);
        }
      }
      if (cause.empty()) continue;
      std::sort(cause.begin(), cause.end());
      causes_.push_back(std::move(cause));
    }
    std::sort(causes_.begin(), causes_.end());
    for (std::size_t i = 0; i < causes_.size(); ++i) {
      const double sign = plant.mixed_signs && random_.below(2) == 0 ? -1 : 1;
      effects_.push_back(sign * std::exp(0.5 * normal(random_)));
    }
  }

  /// As the driver would make them: differences over the healthy spread.
  std::vector<double> signature(const SuspectSet& neutralised) {
    std::vector<double> values(plant_.signature_steps, 0.0);
    if (values.empty()) return values;
    if (effects_of_.empty()) draw_signatures();
    const SuspectSet active = relations_.effective(~neutralised);
    const auto add = [&](const std::vector<double>& other) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i] / kHealthySpread;
    };
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < causes_.size(); ++i)
      if (std::ranges::all_of(causes_[i], [&](SuspectId member) { return active.test(member); })) on.push_back(i);
    for (std::size_t a = 0; a < on.size(); ++a) {
      add(effects_of_[on[a]]);
      for (std::size_t b = 0; b < a; ++b) add(together_[on[a] * causes_.size() + on[b]]);
    }
    for (SuspectId suspect : members_of(active)) add(benign_[suspect]);
    add(offset_);
    for (double& value : values) value += plant_.rounding / kHealthySpread * normal(random_);
    return values;
  }

  void hint(std::vector<Suspect>& suspects) {
    if (plant_.hint_quality < 0) return;
    for (SuspectId i = 0; i < suspects.size(); ++i)
      if (random_.unit() < (culprits_.test(i) ? plant_.hint_quality : 0.05)) suspects[i].odds *= plant_.hint_odds;
  }

  bool fails(const SuspectSet& neutralised) const {
    const SuspectSet off = ~relations_.effective(~neutralised);
    return std::any_of(causes_.begin(), causes_.end(), [&](const auto& cause) { return active(cause, off); });
  }

  Evidence run(const SuspectSet& neutralised) {
    Evidence evidence{.neutralised = neutralised, .verdict = Verdict::unresolved, .delta = {}};
    if (crashes(neutralised)) return evidence;
    evidence.signature = signature(neutralised);
    bool bad = fails(neutralised);
    if (plant_.effect_noise > 0) {
      const double sigma = plant_.effect_noise * smallest();
      double delta = sigma * normal(random_);
      for (std::size_t i = 0; i < causes_.size(); ++i)
        if (active(causes_[i], ~relations_.effective(~neutralised))) delta += effects_[i];
      evidence.delta = delta;
      evidence.standard_error = sigma;
      bad = std::abs(delta) > 0.5 * smallest();
    }
    if (random_.unit() < plant_.flip) bad = !bad;
    evidence.verdict = bad ? Verdict::fail : Verdict::pass;
    const double doubt = plant_.flip > 0 ? kClaimedDoubt : 0.0;
    evidence.p_bad = bad ? 1 - doubt : doubt;
    return evidence;
  }

  bool minimal(const std::vector<SuspectId>& culprit_set) const {
    SuspectSet set(culprits_.size());
    for (SuspectId suspect : culprit_set) set.set(suspect);
    if (fails(set)) return false;
    return std::all_of(culprit_set.begin(), culprit_set.end(), [&](SuspectId suspect) {
      SuspectSet less = set;
      less.reset(suspect);
      return fails(less);
    });
  }
  const std::vector<std::vector<SuspectId>>& causes() const { return causes_; }

 private:
  // Beside one of these no other culprit makes sense: itself, what it needs or is needed by, and what it excludes.
  SuspectSet related(const Problem& problem, SuspectId suspect) const {
    SuspectSet all(problem.suspects.size());
    const auto line = relations_.with_needs(std::span(&suspect, 1));
    for (SuspectId one : line) all.set(one);
    for (SuspectId other = 0; other < all.size(); ++other) {
      const auto needs = relations_.with_needs(std::span(&other, 1));
      if (std::binary_search(needs.begin(), needs.end(), suspect)) all.set(other);
    }
    for (const std::vector<SuspectId>& group : problem.exclusive)
      if (std::any_of(group.begin(), group.end(), [&](SuspectId s) { return all.test(s); }))
        for (SuspectId other : group) all.set(other);
    return all;
  }
  double log_uniform(double least, double most) {
    return std::exp(std::log(least) + random_.unit() * (std::log(most) - std::log(least)));
  }
  // Its steps are independent and normal.
  std::vector<double> direction(double size) {
    std::vector<double> steps;
    for (std::size_t i = 0; i < plant_.signature_steps; ++i) steps.push_back(size * normal(random_));
    return steps;
  }
  void draw_signatures() {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < causes_.size(); ++i) {
      sizes.push_back(log_uniform(plant_.least_size, plant_.most_size));
      effects_of_.push_back(direction(sizes.back()));
    }
    together_.resize(causes_.size() * causes_.size());
    for (std::size_t a = 0; a < causes_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        together_[a * causes_.size() + b] = direction(plant_.interaction * std::min(sizes[a], sizes[b]));
    for (SuspectId i = 0; i < culprits_.size(); ++i)
      benign_.push_back(direction(log_uniform(plant_.least_benign, plant_.most_benign)));
    offset_ = direction(plant_.offset);
  }
  static bool active(const std::vector<SuspectId>& cause, const SuspectSet& neutralised) {
    return std::none_of(cause.begin(), cause.end(), [&](SuspectId member) { return neutralised.test(member); });
  }
  double smallest() const {
    double least = std::abs(effects_.front());
    for (double effect : effects_) least = std::min(least, std::abs(effect));
    return least;
  }
  bool crashes(const SuspectSet& neutralised) const {
    if (plant_.crash <= 0 || neutralised.all() || neutralised.is_subset_of(culprits_)) return false;
    const SuspectSet exposed = ~neutralised;
    for (const auto& cause : causes_)
      if (exposed.count() == cause.size() && active(cause, neutralised)) return false;
    Random hash(salt_);
    for (SuspectId i = neutralised.find_first(); i != SuspectSet::npos; i = neutralised.find_next(i))
      hash = Random(hash.next() ^ (i + 1));
    return hash.unit() < plant_.crash;
  }

  Plant plant_;
  Relations relations_;
  Random random_;
  std::uint64_t salt_;
  SuspectSet culprits_;
  std::vector<std::vector<SuspectId>> causes_;
  std::vector<double> effects_;
  std::vector<std::vector<double>> effects_of_;  // signatures, by cause
  std::vector<std::vector<double>> together_;    // what two causes add, by the greater number and the smaller
  std::vector<std::vector<double>> benign_;      // signatures of healthy suspects
  std::vector<double> offset_;                   // the signature with everything neutralised
};

// Both ends are free, and never wrong.
void tell_ends(Search& search, PlantedTruth& truth) {
  for (;;) {
    const std::vector<Trial> trials = search.ask(1, {});
    if (trials.empty()) return;
    const Trial& trial = trials.front();
    if (trial.purpose != Purpose::subject_as_is && trial.purpose != Purpose::everything_neutralised) return;
    Evidence evidence = truth.run(trial.neutralised);
    const bool bad = truth.fails(trial.neutralised);
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

// What a trial takes: longer by the share of the load that is neutralised.
class TrialTime {
 public:
  TrialTime(const Problem& problem, const Plant& plant) : slowdown_(plant.slowdown), load_(plant.load) {
    if (load_.empty())
      for (const Suspect& suspect : problem.suspects) load_.push_back(suspect.price);
    whole_ = std::accumulate(load_.begin(), load_.end(), 0.0);
  }

  double of(const SuspectSet& neutralised) const {
    if (whole_ <= 0) return 1;
    double load = 0;
    for (SuspectId i = neutralised.find_first(); i != SuspectSet::npos; i = neutralised.find_next(i)) load += load_[i];
    return 1 + (slowdown_ - 1) * load / whole_;
  }

 private:
  double slowdown_, whole_ = 0;
  std::vector<double> load_;
};

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
  game.exact = game.state == State::proved && truth.minimal(answer.culprit_set);
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
