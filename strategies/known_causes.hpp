// Once all causes are known: how far each of them sets the run off, and which of them the fix may be enough without
// (needless.hpp).
#pragma once

#include <optional>
#include <vector>

#include "strategies/needless.hpp"
#include "strategies/phases.hpp"
#include "strategies/standing.hpp"

namespace bisectd::strategies {

class KnownCauses {
 public:
  /// The phases must outlive it.
  explicit KnownCauses(const Phases& phases) : phases_(phases), standing_(phases) {}

  /// Nothing before all causes are known.
  std::optional<Effects> effects() const;

  /// The first of the causes' members that no trial of the fix without them has shown to be needed. No members: there is
  /// none.
  Needless needless() const;
  /// It is shown that the fix is enough without them.
  bool is_shown(const Needless& needless) const;
  /// What tells more: sizes of runs that were ended early, then the fix without whoever seems needless.
  std::vector<Trial> trials() const;

 private:
  std::vector<Active> unmeasured() const;
  bool all_known() const;
  bool are_needed(const Needless& needless) const;
  Active with_fix() const { return standing_.all_but(standing_.culprit_set()); }
  Trial trial(const Active& active, Purpose purpose, std::string reason) const;

  const Phases& phases_;
  const Standing standing_;
};

}  // namespace bisectd::strategies
