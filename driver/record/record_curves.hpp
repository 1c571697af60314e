// The curves of a run, for the eye: thinned lines of references, subject and fix. Judges nothing.
#pragma once

#include <optional>

#include "driver/judge/panel.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// Points of a line in the record: the special curves, and one attempt among many.
inline constexpr std::size_t kCurvePoints = 1000, kAttemptPoints = 200;

reports::Line line_of(const judge::Series& series, std::size_t points);

/// Mean and envelope of the references, and what they logged beside the metric.
void describe_reference(reports::Comparison& comparison, const judge::Reference& reference);

/// Which side of the comparison a curve of the subject is.
enum class SubjectCurve { as_is, fix };

/// A curve of the subject (`metric`: the one that decides), its difference to the references, what a named standard says of
/// it, and what it logged beside the metric. Can be called again.
void describe_subject(reports::Comparison& comparison, const std::string& metric, const judge::Reference& reference,
                      const judge::Curve& curve, SubjectCurve shown);

/// Mean relative difference over the last few points of a curve that is still growing; empty while it has no step in
/// common with the references. Costs nothing of the curve's length.
std::optional<double> difference_so_far(const judge::Reference& reference, const judge::Series& series);

}  // namespace bisectd::driver
