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

/// The first step at which a run of the reference is off the others by more than half of the first loss. Rounding alone may
/// make such a training blow up.
std::optional<std::int64_t> unstable_from(const Reference& reference);

/// M0n. A single NaN that the references do not have is never silent: below the limit it is a note. Where a reference
/// diverged, or runs are that far apart already and this one blew up, a healthy run may.
std::optional<Event> non_finite_event(const Reference& reference, const Track& run, AttemptStage progress);

}  // namespace bisectd::driver::judge
