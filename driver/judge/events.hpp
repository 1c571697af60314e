// What condemns a run whatever its level: NaN (non_finite.hpp), a loss scale that collapses (watched.hpp), single steps far
// off.
#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace bisectd::driver::judge
