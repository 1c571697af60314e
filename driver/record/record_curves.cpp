#include "driver/record/record_curves.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "driver/judge/difference.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/standard.hpp"
#include "reports/thin.hpp"

namespace bisectd::driver {
namespace {

constexpr std::size_t kPointsOfNow = 20;

reports::Line line_of(const judge::Track& track) { return reports::thinned({track.steps, track.values}, kCurvePoints); }

reports::OtherMetric& other_of(reports::Comparison& comparison, const std::string& name) {
  const auto found = std::ranges::find(comparison.other_metrics, name, &reports::OtherMetric::name);
  return found != comparison.other_metrics.end() ? *found
                                                 : comparison.other_metrics.emplace_back(reports::OtherMetric{.name = name});
}

/// The lowest or highest value of the references at each step of the grid.
template <class Pick>
reports::Line envelope(const judge::Reference& reference, Pick pick) {
  reports::Line line{reference.steps, reference.mean};
  for (std::size_t i = 0; i < reference.steps.size(); ++i) {
    double residual = 0;  // the mean lies between the runs, so 0 never widens the envelope
    for (const auto& run : reference.residuals) residual = pick(residual, run[i]);
    line.values[i] += residual * reference.scale[i];
  }
  return reports::thinned(line, kCurvePoints);
}

}  // namespace

reports::Line line_of(const judge::Series& series, std::size_t points) {
  reports::Line line;
  for (const judge::Point& point : series) {
    line.steps.push_back(point.step);
    line.values.push_back(point.value);
  }
  return reports::thinned(line, points);
}

void describe_reference(reports::Comparison& comparison, const judge::Reference& reference) {
  comparison.references = reference.runs.size();
  comparison.reference_curve = reports::thinned({reference.steps, reference.mean}, kCurvePoints);
  if (reference.runs.size() > 1) {
    comparison.reference_low = envelope(reference, [](double a, double b) { return std::min(a, b); });
    comparison.reference_high = envelope(reference, [](double a, double b) { return std::max(a, b); });
  }
  for (const auto& [name, runs] : reference.watched)
    if (!runs.empty()) other_of(comparison, name).reference = line_of(runs.front());
}

void describe_subject(reports::Comparison& comparison, const std::string& metric, const judge::Reference& reference,
                      const judge::Curve& curve, SubjectCurve shown) {
  const bool as_is = shown == SubjectCurve::as_is;
  if (auto said = judge::by_standard(reference, curve))
    (as_is ? comparison.as_is_by_standard : comparison.fix_by_standard) = {said->met, std::move(said->text)};
  const judge::Difference difference = judge::difference(reference, curve);
  reports::Line differences{{}, difference.values};
  for (const std::size_t place : difference.places) differences.steps.push_back(reference.steps[place]);
  (as_is ? comparison.as_is_difference : comparison.fix_difference) = reports::thinned(differences, kCurvePoints);
  for (const auto& [name, series] : curve.series) {
    reports::Line line = line_of(judge::tidy(series));
    if (name == metric) {
      (as_is ? comparison.as_is_curve : comparison.fix_curve) = std::move(line);
    } else {
      reports::OtherMetric& other = other_of(comparison, name);
      (as_is ? other.as_is : other.fix) = std::move(line);
    }
  }
}

std::optional<double> difference_so_far(const judge::Reference& reference, const judge::Series& series) {
  double sum = 0;
  std::size_t count = 0;
  for (const judge::Point& point : series | std::views::reverse | std::views::take(kPointsOfNow)) {
    const auto at = std::ranges::lower_bound(reference.steps, point.step);
    if (at == reference.steps.end() || *at != point.step) continue;
    const auto i = static_cast<std::size_t>(at - reference.steps.begin());
    // A value that is not finite is the news itself, whatever the others say.
    if (!std::isfinite(point.value)) return point.value;
    sum += judge::relative(point.value, reference.mean[i], reference.scale[i]);
    ++count;
  }
  return count ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace bisectd::driver
