// Where a reference ends before the runs that are judged by it: what they do afterwards would be judged by nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

/// Share of a run that must be there for a verdict.
inline constexpr double kWholeRun = 0.9;

/// Problem reference-too-short, where one of the runs ends so long before `steps` that a run which ended there would not be
/// whole; nothing where it cannot be told: it logged less than two values, or nobody said how long runs are.
std::optional<Problem> too_short(std::span<const Curve> references, const std::string& metric,
                                 std::optional<std::int64_t> steps);

/// A run that goes on for longer behind the end of its reference than a whole run may lack.
struct Uncovered {
  std::string text;         ///< one sentence
  bool not_finite = false;  ///< it has a NaN or an inf there
};
std::optional<Uncovered> uncovered(const Reference& reference, const Curve& run);

}  // namespace bisectd::driver::judge
