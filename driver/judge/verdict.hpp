// Is a candidate within the target of the reference? Pure functions over curves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::judge {

/// The references, prepared once: aligned, averaged, with their noise floor.
struct Reference;

/// What the judge says about one trial (all its attempts together).
struct Judgement {
  strategies::Verdict verdict = strategies::Verdict::unresolved;
  std::string reason;                   ///< stable code: level, nan, first-step, multi-step, spikes, misaligned, identical, ...
  std::string text;                     ///< one sentence for people
  std::optional<double> delta;          ///< signed relative difference of the final window, as a fraction
  std::optional<double> standard_error; ///< of delta
  double p_bad = 0.5;                   ///< probability that the true difference is beyond the target
  std::optional<double> noise;          ///< run-to-run standard deviation of the level, as a fraction
  std::optional<double> detectable;     ///< minimal detectable effect, as a fraction
  std::optional<std::int64_t> first_bad_step;
  std::vector<std::string> notes;       ///< e.g. "no noise floor: the references are identical"
};

}  // namespace bisectd::driver::judge
