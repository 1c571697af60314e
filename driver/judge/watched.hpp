// Rules over series beside the metric: loss scale (M6) and gradient norm (M7), each only where the attempt logged it.
#pragma once

#include <vector>

#include "driver/judge/events.hpp"

namespace bisectd::driver::judge {

/// M6: a dynamic loss scale that collapses or falls much more often than the references' fails ("overflow"). A constant
/// scale is no news.
void loss_scale(const Reference& reference, const Curve& curve, std::vector<Event>& events);

/// M7: notes ("grad-norm") for a gradient norm that is off in the final window, explodes or vanishes.
void grad_norm(const Reference& reference, const Curve& curve, std::vector<Event>& events);

}  // namespace bisectd::driver::judge
