// NaN and infinite values: when they fail a run, and when they may be chance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "driver/judge/events.hpp"

namespace bisectd::driver::judge {

/// Values of one run that are NaN or infinite, those at `excused` steps (ascending) aside.
struct NonFinite {
  std::size_t count = 0, longest = 0;  ///< of all, and in a row
  std::optional<std::int64_t> first;   ///< step
  bool at_end = false;
};
NonFinite non_finite(std::span<const std::int64_t> excused, const Track& run);

/// A run of the reference that would fail by them.
bool diverges(std::span<const std::int64_t> excused, const Track& run);

/// A single NaN that the references do not have is never silent: below the limit it is a note. Where a reference diverged, a
/// healthy run may.
std::optional<Event> non_finite_event(const Reference& reference, const Track& run, AttemptStage stage);

}  // namespace bisectd::driver::judge
