// Ends an attempt that is certain to fail. Never lets one pass early: a late culprit would slip through.
#pragma once

#include <optional>

#include "driver/judge/difference.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Looks at a growing curve at 5, 10, 15, 20, 30 .. 90 % of the run (from 20 % on where runs differ much). One object per
/// attempt; the reference and the pool must outlive it. What it says depends on the curve and on
/// what the pool holds then, not on how often it is asked.
class EarlyStop {
 public:
  EarlyStop(const Reference& reference, const NoisePool& pool);

  /// The verdict (always `fail`) once it is certain, or nothing: go on. `so_far` is the whole curve logged until now.
  std::optional<Judgement> look(const Curve& so_far);

 private:
  std::optional<Judgement> by_event(const Curve& curve, const Difference& difference) const;
  bool explained_by_rounding(const Difference& difference, double level) const;
  bool beyond_at(const Difference& difference, std::int64_t look_step) const;

  const Reference& reference_;
  const NoisePool& pool_;
  bool noisy_;  ///< runs differ so much that one of them alone can look like a fault
  std::size_t next_look_ = 0;
  std::optional<std::int64_t> first_beyond_;  ///< step of the last look, if it found the run beyond the target
};

}  // namespace bisectd::driver::judge
