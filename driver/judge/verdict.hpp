// Is a candidate within the target of the reference? Pure functions over curves: no time, no files, no processes.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/judge/reference.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::judge {

/// How far a trial is off over a part that is not its own.
struct InPart {
  std::optional<double> delta;           ///< as Judged::delta; empty: its runs cannot be compared there
  std::optional<double> standard_error;  ///< of delta
};

/// What the judge says about one trial (all its attempts together). Relative quantities are fractions, not percent.
struct Judgement : strategies::Judged {
  std::string metric;                ///< that decided
  double dof = 0;                    ///< degrees of freedom of standard_error
  std::optional<double> noise;       ///< run-to-run standard deviation of the level, where repeats are what shows it
  std::optional<double> detectable;  ///< minimal detectable effect: a true difference of this size fails in 90 %
  std::optional<std::int64_t> first_bad_step;
  std::optional<double> healthy_spread;     ///< how far healthy devices are apart where it was judged, standard deviation
  std::optional<double> coarseness;         ///< of the run's rounding, by its first step: 0 like float32 .. 1 like float16
  std::optional<double> critical_rounding;  ///< of a fail: a device that rounds so (relative size) or worse would explain it
  std::optional<double> harmless;           ///< of a pass: it deviates by so much, which no rounding explains
  bool strict = false;                      ///< the verdict holds at the target itself, without a grey zone
  bool repeat_helps = false;                ///< undecided, and one more attempt may decide it
  std::map<std::string, Spread> spreads;    ///< of this trial's attempts, by metric: add them to the NoisePools (once,
                                            ///< when the trial is done)
  std::optional<InPart> beside_as_is;       ///< over the part by which the subject as it is was judged; empty: as `delta`
  std::vector<std::string> notes;           ///< e.g. "no noise floor: the references are identical"
};
// Reasons. pass: level, identical. fail: level, late, nan, first-step, multi-step, spikes, overflow. inconclusive: noise,
// no-noise-floor, rounding-unknown, not-comparable, few-points, few-references, misnumbered, spikes, nan,
// reference-too-short, ended-early. unresolved: those of attempt.hpp.

/// Judges one trial from the curves of its attempts so far (at least one; attempts that crashed before the end are left
/// out while a whole one is there). Scores and losses alike; `delta` is candidate above reference whatever is better.
/// `accept`: the reference's own block, or the same with another grey zone and number of attempts.
Judgement judge(const Reference& reference, std::span<const Curve> attempts, const NoisePool& pool,
                const configs::Acceptance& accept);
inline Judgement judge(const Reference& reference, std::span<const Curve> attempts, const NoisePool& pool) {
  return judge(reference, attempts, pool, reference.accept);
}

}  // namespace bisectd::driver::judge
