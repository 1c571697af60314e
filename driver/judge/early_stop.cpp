// See early_stop.hpp. Two looks in a row must fail by the same error that a whole run is judged by, and the line through
// them, drawn to the end, must stay beyond the target: a transient that is on its way back must not stop a run.
#include "driver/judge/early_stop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/attempt.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/window_verdict.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

constexpr std::array kLooks = {0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
/// Chance that a run that differs by chance is ended for it, over all looks. With 0.01 runs with heavy-tailed offsets
/// (bench_verdict, h) are condemned early in 0.5 % of the cases instead of 0.3 %.
constexpr double kAlpha = 0.003;
constexpr double kLookWindow = 0.10;           ///< of the run
constexpr std::size_t kFewestLookPoints = 10;  ///< fewer say little about the rest of the run

/// The step `share` of the way through the run.
std::int64_t step_at(const Reference& reference, double share) {
  const std::int64_t start = reference.steps.front() - reference.stride;
  return start + std::llround(share * static_cast<double>(reference.last_step() - start));
}

/// A failure whose window ends in the last sixth of what was seen.
bool fails_now(const Reference& reference, const Judgement& judgement, std::int64_t step) {
  return judgement.verdict == Verdict::fail && judgement.window &&
         6 * (step - judgement.window->last) <= step - reference.steps.front() + reference.stride;
}

}  // namespace

std::optional<Judgement> EarlyStop::look(const Curve& so_far) {
  const Difference now = difference(reference_, so_far);
  if (now.track.empty()) return std::nullopt;
  if (auto judgement = by_event(so_far, now)) return judgement;
  for (; next_look_ < kLooks.size(); ++next_look_) {
    const std::int64_t step = step_at(reference_, kLooks[next_look_]);
    if (now.track.steps.back() < step) break;
    if (unlike_logs(reference_, so_far)) return std::nullopt;
    const Difference then = until(reference_, now, step);
    Judgement judgement =
        by_chance() ? judge_by_spread(then, step)
                    : judge_by_windows(reference_, then, batches_of(reference_, then), pool_, reference_.accept, 1);
    if (!fails_now(reference_, judgement, step) || !stays_beyond(then, step)) {
      failed_before_ = false;
    } else if (failed_before_) {
      judgement.reason = "level";
      judgement.first_bad_step = judgement.window->first;
      judgement.text += fmt::format("; seen at step {}, and it does not go back", step);
      return judgement;
    } else {
      failed_before_ = true;
    }
  }
  return std::nullopt;
}

bool EarlyStop::by_chance() const {
  return (reference_.cause == Cause::chance && reference_.distinct() > 1) ||
         (reference_.subject_varies && pool_.total.dof > 0);
}

/// Runs that differ by chance: a tenth of the run, by how far repeats are apart there, or in the pool's windows.
Judgement EarlyStop::judge_by_spread(const Difference& difference, std::int64_t step) const {
  const Places places = places_between(reference_, step_at(reference_, 0) + (step - step_at(reference_, kLookWindow)), step);
  const auto values = values_in(difference, places);
  Judgement judgement;
  judgement.metric = reference_.metric.name;
  judgement.verdict = Verdict::inconclusive;
  if (values.size() < kFewestLookPoints) return judgement;
  const Spread now = reference_.subject_varies ? Spread{} : spread_of(levels_in(reference_, places));
  const double dof = now.dof + pool_.total.dof;
  if (dof == 0) return judgement;
  const Variance whole = variance_of(known_spread(reference_, pool_));
  const double variance = std::max((now.last + pool_.total.last) / dof, whole.value);
  judgement.delta = mean_of(values);
  judgement.standard_error = std::sqrt(variance * (1 + 1.0 / reference_.distinct()));
  judgement.window = Steps{reference_.steps[places.from], reference_.steps[places.to - 1]};
  const double reach = t_quantile(kAlpha / kLooks.size(), dof) * *judgement.standard_error;
  if (badness(reference_, *judgement.delta) - reach > reference_.accept.target) judgement.verdict = Verdict::fail;
  judgement.p_bad = 1;
  judgement.text =
      fmt::format("{} is {:+.3g} % off, which repeats do not explain", reference_.metric.name, 100 * *judgement.delta);
  return judgement;
}

/// The line through the last two tenths of the run, drawn to its end, stays beyond the target.
bool EarlyStop::stays_beyond(const Difference& difference, std::int64_t step) const {
  const std::int64_t tenth = step_at(reference_, kLookWindow) - step_at(reference_, 0);
  const auto level = [&](std::int64_t last) {
    const auto values = values_in(difference, places_between(reference_, last - tenth, last));
    return values.empty() ? 0 : mean_of(values);
  };
  const double last = level(step), before = level(step - tenth), side = std::copysign(1.0, last);
  const double slope = std::min(0.0, side * (last - before) / static_cast<double>(std::max<std::int64_t>(tenth, 1)));
  const double at_end = side * last + slope * static_cast<double>(reference_.last_step() - step);
  return side * before > reference_.accept.target && at_end > reference_.accept.target;
}

std::optional<Judgement> EarlyStop::by_event(const Curve& curve, const Difference& difference) const {
  const auto events = events_of(reference_, curve, difference, AttemptStage::running);
  if (events.empty() || !events.front().fails) return std::nullopt;
  Judgement judgement = judge_by_event(reference_.metric.name, events.front());
  if (!judgement.first_bad_step) judgement.first_bad_step = difference.track.steps.back();
  return judgement;
}

}  // namespace bisectd::driver::judge
