// Is a candidate within the target of the reference? Pure functions over curves: no time, no files, no processes.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/judge/attempt.hpp"
#include "driver/judge/reference.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::judge {

/// Steps first to last, both included.
struct Steps {
  std::int64_t first = 0, last = 0;
};

/// What the judge says about one trial (all its attempts together). Relative quantities are fractions, not percent.
struct Judgement : strategies::Judged {
  std::string metric;                ///< that decided
  std::optional<Steps> window;       ///< what the verdict rests on; delta and standard_error are of it
  std::optional<double> noise;       ///< run-to-run standard deviation of the level, where repeats are what shows it
  std::optional<double> detectable;  ///< a difference of this size at the end would have failed
  std::optional<std::int64_t> first_bad_step;
  bool strict = false;                           ///< the verdict holds at the target itself, without a grey zone
  bool repeat_helps = false;                     ///< undecided, and one more attempt may decide it
  std::map<std::string, Spread> spreads;         ///< of this trial's attempts, by metric: add them to the NoisePools (once,
                                                 ///< when the trial is done)
  std::optional<strategies::Size> beside_as_is;  ///< in the window of the subject as it is, where that is another one
  std::vector<std::string> notes;                ///< e.g. "it was off by 3 % in steps 40 to 72"
};
// Reasons. pass: level, identical. fail: level, nan, overflow. inconclusive: noise, no-noise-floor, few-points, misnumbered,
// nan, other-batches, reference-too-short, ended-early. unresolved: those of attempt.hpp.

/// Judges one trial from the curves of its attempts so far (at least one; attempts that crashed before the end are left
/// out while a whole one is there). Scores and losses alike; `delta` is candidate above reference whatever is better.
/// `accept`: the reference's own block, or the same with another grey zone and number of attempts.
Judgement judge(const Reference& reference, std::span<const Curve> attempts, const NoisePool& pool,
                const configs::Acceptance& accept);
inline Judgement judge(const Reference& reference, std::span<const Curve> attempts, const NoisePool& pool) {
  return judge(reference, attempts, pool, reference.accept);
}

/// A fail that needs no level, as a NaN is.
Judgement judge_by_event(const std::string& metric, const Event& event);

}  // namespace bisectd::driver::judge
