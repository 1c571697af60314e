// One attempt of a trial, ready to be judged: its differences, its events, and whether enough of it is there and is alike.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/judge/difference.hpp"
#include "driver/judge/events.hpp"
#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

struct Attempt {
  Difference difference;
  std::vector<Event> events;
  Places window;                    ///< its final window on the reference's grid
  Batches batches = Batches::same;  ///< that it saw, beside the reference's
  std::string trouble;       ///< reason code when it cannot be compared: no-curve, misaligned, begins-late, truncated, gaps,
                             ///< steps-begin-again, smoothed-otherwise; else empty
  std::string trouble_text;  ///< one sentence for people
  std::string gaps;          ///< one sentence on points that are missing, though not too many; else empty
};

/// What a run saw, beside the reference.
Batches batches_of(const Reference& reference, const Difference& difference);

/// A run must reach 90 % of the reference's steps; its final window then ends where it ended. At most 20 % of the
/// points due there may be missing, and 25 % of those of the whole run. A regular log at a coarser interval has no gaps.
Attempt attempt_of(const Reference& reference, const Curve& curve);

/// Attempts with the same bits are one observation; `repeated` counts the others.
struct DistinctAttempts {
  std::vector<Attempt> attempts;
  int repeated = 0;
};
DistinctAttempts distinct(std::vector<Attempt> attempts);

/// Spread of the attempts' levels, as Reference::level is of the references'; where runs do not differ by chance, of those
/// that were not perturbed.
Spread spread_of(const Reference& reference, std::span<const Attempt> attempts);

/// Problem steps-begin-again (each epoch has steps of its own) or smoothed-otherwise (a mean over other numbers of steps).
std::optional<Problem> unlike_logs(const Reference& reference, const Curve& run);

}  // namespace bisectd::driver::judge
