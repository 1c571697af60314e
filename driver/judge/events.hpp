// Rules that need no statistics: first step, multi-step error, spikes, loss scale, gradient norm; NaN by non_finite.hpp.
// docs/verdicts.md, "Look for what needs no level", says what each is for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/judge/difference.hpp"

namespace bisectd::driver::judge {

/// Something that happened in one attempt.
struct Event {
  std::string code;                  ///< stable: nan, first-step, multi-step, spikes, overflow, grad-norm
  bool fails = false;                ///< else only a note
  std::string text;                  ///< for people
  std::optional<std::int64_t> step;  ///< where it was first seen
  bool forbids_pass = false;         ///< a note that leaves open whether the attempt is good
  double p_bad = 1;                  ///< of one that fails
};

/// Measures the references by the rules below.
NoiseFloor noise_floor_of(const Reference& reference);

/// Mean over the blocks of a run of how far it is off in each, on either side.
double block_error_of(const Reference& reference, const Difference& run);

/// Where no run shows how far devices drift apart that round coarsely, a run may be off by this much, a fraction: healthy
/// ones of a PyTorch net with dropout end up to 15 % apart, and are up to 50 % apart at single steps (tests/bench, mlp).
inline constexpr double kUnknownDrift = 0.5;
/// Where that is so, and the run does not begin further off than rounding puts it.
bool is_drift_unknown(const Reference& reference, const Difference& run);

/// Whether the attempt is over. While it runs, a last value of NaN may still recover.
enum class AttemptStage { running, over };

/// Single steps far off, which a trimmed mean would hide. They must also stand out from the level around them, and a stretch
/// of them (5 or more, and 5 % of the run) is no spike but another level, left to the rules for levels. While the attempt
/// runs, what may still change does not count.
struct Spikes {
  std::size_t count = 0;   ///< steps of the attempt off by more than `limit`
  std::size_t at_end = 0;  ///< of them without one within the limit behind; 0 where the run goes on
  std::size_t worst = 0;   ///< the most such steps in a reference
  double limit = 0;  ///< at the first one: max(5 %, 2 targets, 6 robust standard deviations of a reference's step there)
  std::optional<std::int64_t> first;

  bool too_many(std::size_t attempts = 1) const;  ///< `count` is then that of all attempts together
};
Spikes spikes_of(const Reference& reference, const Difference& difference, AttemptStage progress);

/// All events of one attempt, failing ones first. An event found while the attempt runs stays one when it is over.
std::vector<Event> events_of(const Reference& reference, const Curve& curve, const Difference& difference,
                             AttemptStage progress);

}  // namespace bisectd::driver::judge
