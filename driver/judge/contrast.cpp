#include "driver/judge/contrast.hpp"

#include <cmath>
#include <fmt/format.h>

#include "driver/judge/level.hpp"
#include "driver/judge/window.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

constexpr double kSurely = 3;        ///< errors by which the ends must differ, else the question is not asked
constexpr double kLeastApart = 0.5;  ///< of the target
/// A run lies at an end if it is as near to it as this share of what sets the ends apart: of 384 healthy trials (`worlds`)
/// 378 lay at the right end, 5 between and 1 at the wrong one.
constexpr double kBand = 0.35;
constexpr double kSpread = 0.15;  ///< standard deviation of a place about its end, of the same trials

double probability_of_as_is(double place) { return 0.5 * std::erfc((0.5 - place) / kSpread / std::sqrt(2.0)); }

Verdict side_of(double place) {
  return std::abs(place) < kBand ? Verdict::pass : std::abs(place - 1) < kBand ? Verdict::fail : Verdict::inconclusive;
}

}  // namespace

std::optional<Contrast> Contrast::between(const configs::Acceptance& accept, const MetricRule& metric, const Curve& as_is,
                                          const Curve& everything) {
  auto prepared = prepare_reference(accept, std::span(&everything, 1), metric);
  if (!prepared) return std::nullopt;
  Contrast contrast(*std::move(prepared));
  const Reference& reference = contrast.everything_;
  if (!attempt_of(reference, as_is).trouble.empty()) return std::nullopt;
  const Difference run = difference(reference, as_is);
  const std::vector<WindowLevel> levels = window_levels(reference, run, Batches::others);
  const WindowLevel* best = nullptr;
  for (const WindowLevel& level : levels)
    if (!level.is_short && std::abs(level.mean) >= kLeastApart * accept.target &&
        (!best || std::abs(level.mean) / level.error > std::abs(best->mean) / best->error))
      best = &level;
  if (!best || std::abs(best->mean) < kSurely * best->error) return std::nullopt;
  contrast.window_ = {reference.steps[run.places[best->from]], reference.steps[run.places[best->to - 1]]};
  contrast.apart_ = best->mean;
  contrast.error_ = best->error;
  return contrast;
}

std::optional<double> Contrast::place(const Curve& run) const {
  const Difference apart = difference(everything_, run);
  const auto values = values_in(apart, places_between(everything_, window_.first - 1, window_.last));
  return values.empty() ? std::nullopt : std::optional(mean_of(values) / apart_);
}

Verdict Contrast::side(const Curve& run) const {
  const auto at = place(run);
  return at ? side_of(*at) : Verdict::unresolved;
}

Judgement Contrast::judge(std::span<const Curve> attempts) const {
  Judgement judgement;
  judgement.metric = everything_.metric.name;
  double sum = 0;
  int runs = 0;
  for (const Curve& attempt : attempts) {
    const Attempt whole = attempt_of(everything_, attempt);
    for (const Event& event : whole.events)
      if (event.fails) return judge_by_event(everything_.metric.name, event);
    const auto at = whole.trouble.empty() ? place(attempt) : std::nullopt;
    if (at) {
      sum += *at;
      ++runs;
    } else {
      judgement.reason = whole.trouble.empty() ? "gaps" : whole.trouble;
      judgement.text = whole.trouble_text;
    }
  }
  if (runs == 0) return judgement;
  const double at = sum / runs;
  judgement.verdict = side_of(at);
  judgement.reason = judgement.verdict == Verdict::inconclusive ? "between" : "contrast";
  judgement.p_bad = probability_of_as_is(at);
  judgement.delta = at * apart_;
  judgement.standard_error = error_;
  judgement.window = window_;
  judgement.strict = judgement.verdict != Verdict::inconclusive;
  judgement.text = fmt::format(
      "{} lies {:.0f} % of the way from the run with everything neutralised to the subject as it is, "
      "which are {:.2g} % apart in steps {} to {}",
      everything_.metric.name, 100 * at, 100 * std::abs(apart_), window_.first, window_.last);
  return judgement;
}

}  // namespace bisectd::driver::judge
