// A search at a point that was made by hand: evidence is told set by set, and its parts can be looked at alone.
#pragma once

#include "strategies/phases.hpp"
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
  Story& tell(const Evidence& evidence) {
    phases_.tell(evidence);
    phases_.weigh();
    return *this;
  }

  Standing standing() const { return Standing(phases_); }

 private:
  std::size_t size_;
  Phases phases_;
};

}  // namespace bisectd::strategies::testing
