// What condemns a run whatever its level: NaN, a loss scale that collapses (watched.hpp), single steps far off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/judge/difference.hpp"

namespace bisectd::driver::judge {

/// Something that happened in one attempt.
struct Event {
  std::string code;                  ///< stable: nan, overflow, spikes, grad-norm
  bool fails = false;                ///< else only a note
  std::string text;                  ///< for people
  std::optional<std::int64_t> step;  ///< where it was first seen
  bool forbids_pass = false;         ///< a note that leaves open whether the attempt is good
};

/// Whether the attempt is over. While it runs, a last value of NaN may still recover.
enum class AttemptStage { running, over };

/// All events of one attempt, failing ones first. An event found while the attempt runs stays one when it is over.
std::vector<Event> events_of(const Reference& reference, const Curve& curve, const Difference& difference,
                             AttemptStage stage);

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
