// Whether a fix holds for longer than a trial (`soak`). No reference is so long, and a schedule may follow from a run's
// length, so the run is compared with itself: what it had learnt after a trial's length it must not lose.
#pragma once

#include <cstdint>
#include <span>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/judge/reference.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Steps of a trial, and of the long run.
struct SoakLength {
  std::int64_t trial = 0, soak = 0;
};

/// Fails if a metric is NaN or infinite, if the loss scale falls to its minimum after a trial's length, or if a metric's
/// last steps are worse than those that a trial ends with, by more than the largest of 5 %, two targets, six standard
/// errors, and twice the highest climb since then that the run came down from again. A window is `accept.window` of a trial.
/// Inconclusive if the run left early by itself. Not evidence: the answer is proved without it.
Judgement judge_soak(std::span<const MetricRule> metrics, const SoakLength& length, const configs::Acceptance& accept,
                     const Curve& curve);

}  // namespace bisectd::driver::judge
