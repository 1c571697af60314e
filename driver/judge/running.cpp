#include "driver/judge/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "driver/judge/length.hpp"
#include "driver/judge/watched.hpp"

namespace bisectd::driver::judge {
namespace {

Judgement judged(strategies::Verdict verdict, std::string reason, std::string text) {
  Judgement judgement;
  judgement.verdict = verdict;
  judgement.reason = std::move(reason);
  judgement.text = std::move(text);
  judgement.p_bad = verdict == strategies::Verdict::fail ? 1 : 0;
  judgement.strict = true;
  return judgement;
}

/// The last step that was logged, and the first that would have been logged next. One point alone may be the first of many:
/// it comes as late as the next one would after it.
struct Reach {
  std::int64_t last = 0, next = 0;
};

Reach reach_of(const std::vector<Point>& points) {
  Reach reach{.last = std::ranges::max(points, {}, &Point::step).step};
  std::int64_t before = 0;
  for (const Point& point : points)
    if (point.step < reach.last) before = std::max(before, point.step);
  reach.next = reach.last + (reach.last - before);
  return reach;
}

/// Steps are those of the first metric; others may be logged by epochs.
Judgement judged(std::span<const MetricRule> metrics, std::int64_t steps, const Curve& curve) {
  using strategies::Verdict;
  if (const auto step = first_not_finite(metrics, curve)) {
    Judgement judgement = judged(Verdict::fail, "nan", fmt::format("NaN or infinite at step {}", *step));
    judgement.first_bad_step = step;
    return judgement;
  }
  if (const auto step = lost_gradient(curve)) {
    Judgement judgement =
        judged(Verdict::fail, "nan", fmt::format("the gradient norm is not finite from step {} on", *step));
    judgement.first_bad_step = step;
    return judgement;
  }
  for (const MetricRule& metric : metrics) {
    const auto series = curve.series.find(metric.name);
    if (series == curve.series.end() || series->second.empty())
      return judged(Verdict::unresolved, kNoCurve, fmt::format("it left with 0, but logged no {}", metric.name));
    if (&metric != &metrics.front()) continue;
    const auto [last, next] = reach_of(series->second);
    if (static_cast<double>(last) < kWholeRun * static_cast<double>(steps) && next <= steps)
      return judged(Verdict::fail, "truncated", fmt::format("it left with 0 after step {} of {}", last, steps));
  }
  return judged(Verdict::pass, "runs", fmt::format("runs to step {}", steps));
}

}  // namespace

std::optional<std::int64_t> first_not_finite(std::span<const MetricRule> metrics, const Curve& curve) {
  std::optional<std::int64_t> first;
  for (const MetricRule& metric : metrics)
    if (const auto series = curve.series.find(metric.name); series != curve.series.end())
      for (const Point& point : series->second)
        if (!std::isfinite(point.value) && (!first || point.step < *first)) first = point.step;
  return first;
}

Judgement judge_running(std::span<const MetricRule> metrics, std::int64_t steps, std::span<const Curve> attempts) {
  Judgement worst = judged(metrics, steps, attempts.front());
  for (const Curve& curve : attempts.subspan(1))
    if (Judgement other = judged(metrics, steps, curve); worst.verdict == strategies::Verdict::pass)
      worst = std::move(other);
  return worst;
}

Judgement broke(std::string reason, std::string text) {
  return judged(strategies::Verdict::fail, std::move(reason), std::move(text));
}

}  // namespace bisectd::driver::judge
