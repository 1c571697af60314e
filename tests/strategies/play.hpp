// Plays a search against a planted truth, the way the driver does: trials run in rounds of `slots`.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "strategies/certificate.hpp"
#include "strategies/random.hpp"
#include "strategies/search.hpp"

namespace bisectd::strategies::testing {

using Causes = std::vector<std::vector<SuspectId>>;

inline constexpr Verdict kPass = Verdict::pass, kFail = Verdict::fail, kUndecided = Verdict::inconclusive,
                         kBroke = Verdict::unresolved;

inline SuspectSet set_of(std::size_t size, const std::vector<SuspectId>& members) {
  SuspectSet set(size);
  for (SuspectId member : members) set.set(member);
  return set;
}

inline Neutralised neutralised(std::size_t size, const std::vector<SuspectId>& members) {
  return Neutralised(set_of(size, members));
}

inline Active active(std::size_t size, const std::vector<SuspectId>& members) { return Active(set_of(size, members)); }

/// Fails iff some cause is wholly active.
inline bool fails(const Causes& causes, const Neutralised& neutralised) {
  return std::any_of(causes.begin(), causes.end(), [&](const std::vector<SuspectId>& cause) {
    return std::none_of(cause.begin(), cause.end(), [&](SuspectId member) { return neutralised.test(member); });
  });
}

using Oracle = std::function<Verdict(const Neutralised& neutralised)>;

inline Oracle exact(Causes causes) {
  return [causes = std::move(causes)](const Neutralised& neutralised) {
    return fails(causes, neutralised) ? Verdict::fail : Verdict::pass;
  };
}

inline Problem problem_of(std::size_t size, std::size_t slots = 1, std::uint64_t seed = 1) {
  Problem problem;
  problem.suspects.resize(size);
  problem.slots = slots;
  problem.seed = seed;
  return problem;
}

struct Game {
  Problem problem;
  Answer answer;
  std::vector<Evidence> told;
  std::size_t rounds = 0;
};

inline Evidence evidence_of(const Neutralised& neutralised, Verdict verdict) {
  Evidence evidence{.neutralised = neutralised, .verdict = verdict, .delta = {}};
  evidence.p_bad = verdict == Verdict::fail ? 0.999 : verdict == Verdict::pass ? 0.001 : 0.5;
  return evidence;
}

using Judge = std::function<Evidence(const Neutralised& neutralised)>;

/// To the end of the search, or to the first round after `budget` trials.
inline Game play_judged(const Problem& problem, const Judge& judge, std::size_t budget,
                        EngineKind engine = EngineKind::automatic) {
  Search search(problem, engine);
  Game game;
  game.problem = problem;
  while (game.told.size() < budget) {
    const std::vector<Trial> trials = search.ask(problem.slots, {});
    if (trials.empty()) break;
    ++game.rounds;
    for (const Trial& trial : trials) {
      game.told.push_back(judge(trial.neutralised));
      search.tell(game.told.back());
    }
  }
  game.answer = search.answer();
  return game;
}

/// Throws std::runtime_error after `most` trials: a search must end.
inline Game play(const Problem& problem, const Oracle& oracle, std::size_t most = 20000,
                 EngineKind engine = EngineKind::automatic) {
  const auto judge = [&](const Neutralised& neutralised) { return evidence_of(neutralised, oracle(neutralised)); };
  Game game = play_judged(problem, judge, most, engine);
  if (game.answer.state == State::searching) throw std::runtime_error("endless search");
  return game;
}

/// A judge of noisy differences: every run is off by `offset`, by `effect` more while a cause is active, and by normal
/// noise; the target is 0.5 %. The verdict needs 95 %, p_bad is what the judge may believe.
struct NoisyJudge {
  Causes causes;
  double effect = 0.02, noise = 0.003, offset = 0, crash = 0;
  std::shared_ptr<Random> random = std::make_shared<Random>(1);

  Evidence operator()(const Neutralised& neutralised) const {
    Evidence evidence{.neutralised = neutralised, .verdict = Verdict::unresolved, .delta = {}};
    if (random->unit() < crash) return evidence;
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += random->unit();
    constexpr double kTarget = 0.005;
    const double delta = offset + (fails(causes, neutralised) ? effect : 0.0) + noise * normal;
    const auto above = [&](double limit) { return 0.5 * std::erfc((limit - delta) / noise / std::sqrt(2.0)); };
    evidence.delta = delta;
    evidence.standard_error = noise;
    evidence.p_bad = above(kTarget) + 1 - above(-kTarget);
    evidence.verdict = evidence.p_bad > 0.95 ? Verdict::fail : evidence.p_bad < 0.05 ? Verdict::pass : Verdict::inconclusive;
    return evidence;
  }
};

/// Whether this is the subject as it is, which is run twice where more than two suspects, all there are, fail only together.
inline bool as_is_again(const Game& game, const Evidence& seen) {
  const auto many = [](const std::vector<SuspectId>& cause) { return cause.size() > 2; };
  const auto as_is = [](const Evidence& other) { return other.neutralised.none(); };
  return as_is(seen) && std::ranges::any_of(game.answer.causes, many) && std::ranges::count_if(game.told, as_is) == 2;
}

/// Whether every claim is proved, and shown by a told trial (or one of the same effect).
inline bool replays(const Game& game) {
  return std::all_of(game.answer.certificate.begin(), game.answer.certificate.end(), [&](const Claim& claim) {
    return claim.proved && std::any_of(game.told.begin(), game.told.end(), [&](const Evidence& seen) {
             return active_beside(seen.neutralised) == active_beside(claim.neutralised) &&
                    shows(claim, game.answer, seen.neutralised, seen.verdict);
           });
  });
}

/// Sufficient, and no member too many, by the truth itself.
inline bool minimal_fix(const Oracle& truth, std::size_t size, const std::vector<SuspectId>& culprits) {
  if (truth(neutralised(size, culprits)) != Verdict::pass) return false;
  return std::all_of(culprits.begin(), culprits.end(), [&](SuspectId member) {
    Neutralised less = neutralised(size, culprits);
    less.reset(member);
    return truth(less) == Verdict::fail;
  });
}

/// A cause fails alone and none of its members is too many, by the truth itself.
inline bool minimal_cause(const Oracle& truth, std::size_t size, const std::vector<SuspectId>& cause) {
  const Neutralised neutralised = neutralised_beside(active(size, cause));
  if (truth(neutralised) != Verdict::fail) return false;
  return std::all_of(cause.begin(), cause.end(), [&](SuspectId member) {
    Neutralised more = neutralised;
    more.set(member);
    return truth(more) == Verdict::pass;
  });
}

}  // namespace bisectd::strategies::testing
