// Ends an attempt that is certain to fail. Never lets one pass early: a late culprit would slip through.
#pragma once

#include <optional>

#include "driver/judge/difference.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Looks at a growing curve at every tenth of the run from 20 % on. One object per attempt; the reference and the pool must
/// outlive it. What it says depends on the curve and on what the pool holds then, not on how often it is asked.
class EarlyStop {
 public:
  EarlyStop(const Reference& reference, const NoisePool& pool) : reference_(reference), pool_(pool) {}

  /// The verdict (always `fail`) once it is certain, or nothing: go on. `so_far` is the whole curve logged until now.
  std::optional<Judgement> look(const Curve& so_far);

 private:
  bool by_chance() const;
  bool stays_beyond(const Difference& difference, std::int64_t step) const;
  Judgement judge_by_spread(const Difference& difference, std::int64_t step) const;
  std::optional<Judgement> by_event(const Curve& curve, const Difference& difference) const;

  const Reference& reference_;
  const NoisePool& pool_;
  std::size_t next_look_ = 0;
  bool failed_before_ = false;  ///< at the last look
};

}  // namespace bisectd::driver::judge
