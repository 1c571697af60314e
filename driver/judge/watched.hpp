// Rules over series beside the metric: loss scale and gradient norm, each only where the attempt logged it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/judge/events.hpp"

namespace bisectd::driver::judge {

/// A dynamic loss scale that collapses or falls much more often than the references' fails ("overflow"). A constant
/// scale is no news.
void loss_scale(const Reference& reference, const Curve& curve, std::vector<Event>& events);

/// The first step behind `after` at which the run's loss scale falls to its minimum; empty: never, or it logged none.
std::optional<std::int64_t> collapsed_at(const Curve& curve, std::int64_t after);

/// The step from which on the gradient norm is NaN or infinite up to the end, at three logged steps at least: a dynamic loss
/// scale skips single ones.
std::optional<std::int64_t> lost_gradient(const Curve& curve);

/// One that is lost where the references' is not fails ("nan"); one that is off in the final window is noted ("grad-norm").
void grad_norm(const Reference& reference, const Curve& curve, std::vector<Event>& events);

}  // namespace bisectd::driver::judge
