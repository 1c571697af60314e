// The stretch of a ladder's values that pass. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "strategies/evidence.hpp"

namespace bisectd::driver {

struct PassingWindow {
  std::size_t first = 0, last = 0;
  std::size_t middle() const { return (first + last + 1) / 2; }  ///< of two in the middle the higher
};

/// The longest stretch of passes in the verdicts of ascending values; of two as long the higher one, because too low a
/// loss scale loses silently what too high a one loses loudly. Empty if none passes.
std::optional<PassingWindow> widest_window(const std::vector<strategies::Verdict>& verdicts);

}  // namespace bisectd::driver
