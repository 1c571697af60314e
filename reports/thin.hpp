// Fewer points for the eye.
#pragma once

#include "reports/record.hpp"

namespace bisectd::reports {

/// About `points` points (at least 4) of a curve. Lowest and highest value of every stretch stay, so that no spike is
/// lost; a stretch with a value that is not finite keeps one such value, so that the gap shows.
Line thinned(const Line& curve, std::size_t points);

}  // namespace bisectd::reports
