// A search at a point that was made by hand: evidence is told set by set, and its parts can be looked at alone.
#pragma once

#include "strategies/phases.hpp"
#include "strategies/planning.hpp"
#include "strategies/standing.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {

class Story {
 public:
  explicit Story(Problem problem, EngineKind engine = EngineKind::automatic)
      : size_(problem.suspects.size()), phases_(std::move(problem), engine) {}

  /// So many trials with exactly these active.
  Story& active_were(const std::vector<SuspectId>& set, Verdict verdict, int times = 1) {
    for (int i = 0; i < times; ++i) tell(evidence_of(neutralised_beside(active(size_, set)), verdict));
    return *this;
  }
  Story& as_is(Verdict verdict, int times = 1) {
    for (int i = 0; i < times; ++i) tell(evidence_of(neutralised(size_, {}), verdict));
    return *this;
  }
  Story& all_neutralised(Verdict verdict, int times = 1) { return active_were({}, verdict, times); }
  /// Both ends came out as they should.
  Story& ends() { return as_is(Verdict::fail).all_neutralised(Verdict::pass); }
  Story& tell(const Evidence& evidence) {
    phases_.tell(evidence);
    phases_.weigh();
    return *this;
  }

  const Phases& phases() const { return phases_; }
  Phase phase() const { return phases_.phase(); }
  Standing standing() const { return Standing(phases_); }
  std::vector<Trial> next(std::size_t slots = 1, const std::vector<Neutralised>& pending = {}) const {
    return next_trials(phases_, Outage(), slots, pending);
  }
  /// What stays active in the next trials.
  std::vector<std::vector<SuspectId>> next_active(std::size_t slots = 1) const {
    std::vector<std::vector<SuspectId>> sets;
    for (const Trial& trial : next(slots)) sets.push_back(members_of(active_beside(trial.neutralised)));
    return sets;
  }
  /// Answers what is asked, by the truth, until the phase is another one.
  Story& while_in(Phase phase, const Oracle& truth) {
    for (int trials = 0; this->phase() == phase; ++trials) {
      const std::vector<Trial> trial = next();
      if (trial.empty() || trials > 200) break;
      tell(evidence_of(trial.front().neutralised, truth(trial.front().neutralised)));
    }
    return *this;
  }

 private:
  std::size_t size_;
  Phases phases_;
};

}  // namespace bisectd::strategies::testing
