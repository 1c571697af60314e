// Plays a search against a planted truth, the way the driver does: trials run in rounds of `slots`.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <vector>

#include "strategies/certificate.hpp"
#include "strategies/random.hpp"
#include "strategies/search.hpp"

namespace bisectd::strategies::testing {

using Causes = std::vector<std::vector<SuspectId>>;

inline SuspectSet set_of(std::size_t size, const std::vector<SuspectId>& members) {
  SuspectSet set(size);
  for (SuspectId member : members) set.set(member);
  return set;
}

/// Fails iff some cause is wholly active.
inline bool fails(const Causes& causes, const SuspectSet& neutralised) {
  return std::any_of(causes.begin(), causes.end(), [&](const std::vector<SuspectId>& cause) {
    return std::none_of(cause.begin(), cause.end(), [&](SuspectId member) { return neutralised.test(member); });
  });
}

using Oracle = std::function<Verdict(const SuspectSet& neutralised)>;

inline Oracle exact(Causes causes) {
  return [causes = std::move(causes)](const SuspectSet& neutralised) {
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

inline Evidence evidence_of(const SuspectSet& neutralised, Verdict verdict) {
  Evidence evidence{.neutralised = neutralised, .verdict = verdict, .delta = {}};
  evidence.p_bad = verdict == Verdict::fail ? 0.999 : verdict == Verdict::pass ? 0.001 : 0.5;
  return evidence;
}

/// Throws std::runtime_error after `most` trials: a search must end.
inline Game play(const Problem& problem, const Oracle& oracle, std::size_t most = 20000,
                 EngineKind engine = EngineKind::automatic) {
  Search search(problem, engine);
  Game game;
  game.problem = problem;
  for (;;) {
    const std::vector<Trial> trials = search.ask(problem.slots, {});
    if (trials.empty()) break;
    ++game.rounds;
    for (const Trial& trial : trials) {
      if (game.told.size() >= most) throw std::runtime_error("endless search");
      game.told.push_back(evidence_of(trial.neutralised, oracle(trial.neutralised)));
      search.tell(game.told.back());
    }
  }
  game.answer = search.answer();
  return game;
}

/// Whether every claim is proved, and shown by a told trial (or one of the same effect).
inline bool replays(const Game& game) {
  const Relations relations(game.problem);
  return std::all_of(game.answer.certificate.begin(), game.answer.certificate.end(), [&](const Claim& claim) {
    return claim.proved && std::any_of(game.told.begin(), game.told.end(), [&](const Evidence& seen) {
             return relations.effective(~seen.neutralised) == relations.effective(~claim.neutralised) &&
                    shows(claim, game.answer, relations, seen.neutralised, seen.verdict);
           });
  });
}

/// Sufficient, and no member too many, by the truth itself.
inline bool minimal_fix(const Oracle& truth, std::size_t size, const std::vector<SuspectId>& culprits) {
  if (truth(set_of(size, culprits)) != Verdict::pass) return false;
  return std::all_of(culprits.begin(), culprits.end(), [&](SuspectId member) {
    SuspectSet less = set_of(size, culprits);
    less.reset(member);
    return truth(less) == Verdict::fail;
  });
}

/// A cause fails alone and none of its members is too many, by the truth itself.
inline bool minimal_cause(const Oracle& truth, std::size_t size, const std::vector<SuspectId>& cause) {
  SuspectSet neutralised = ~set_of(size, cause);
  if (truth(neutralised) != Verdict::fail) return false;
  return std::all_of(cause.begin(), cause.end(), [&](SuspectId member) {
    SuspectSet more = neutralised;
    more.set(member);
    return truth(more) == Verdict::pass;
  });
}

}  // namespace bisectd::strategies::testing
