// See early_stop.hpp. Group-sequential looks with a Bonferroni share each. Two looks in a row must agree: the slope of a
// slow transient is hard to see in the first short windows. Where runs differ much, the looks begin later: runs that
// separate in the first tenth hide a transient that fades.
#include "driver/judge/early_stop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <vector>

#include "driver/judge/events.hpp"
#include "driver/judge/grey_zone.hpp"
#include "driver/judge/unlike_logs.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr std::array kLooks = {0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90};
/// Of one attempt, over all looks and both sides. With 0.01 runs with heavy-tailed offsets (bench_verdict, h) are condemned
/// early in 0.5 % of the cases instead of 0.3 %; the time saved at noise 0.2 % is 38 % instead of 36 %.
constexpr double kAlpha = 0.003;
constexpr double kLookWindow = 0.10;  ///< of the run
constexpr double kNoisy = 0.30;       ///< of the target: runs that differ by more differ much
constexpr double kFirstNoisyLook = 0.20;
constexpr std::size_t kFewestLookPoints = 10;  ///< in each window: fewer say little about the rest of the run

/// The step `share` of the way through the run.
std::int64_t step_at(const Reference& reference, double share) {
  const std::int64_t start = reference.steps.front() - reference.stride;
  return start + std::llround(share * static_cast<double>(reference.last_step() - start));
}

/// Sum of squares of the runs' levels in a stretch, around their mean.
double squares_in(const Reference& reference, const Places& places) { return spread_of(levels_in(reference, places)).last; }

/// How far the runs' levels are apart in stretches of one length.
struct Apart {
  double squares = 0;  ///< sum of squares around their mean, averaged over the stretches
  double dof = 0;      ///< degrees of freedom of that average
};

/// Runs that keep an offset are as far apart in every stretch, and further stretches say nothing new; runs that wander are
/// drawn anew in each. Satterthwaite's degrees of freedom of a sum of dependent squares tell the two apart.
Apart apart_over(const Reference& reference, std::int64_t length) {
  std::vector<std::vector<double>> stretches;
  for (std::int64_t last = reference.last_step(); last - length >= reference.steps.front(); last -= length) {
    const Places places = places_in(reference, {last - length, last});
    if (places.size() == 0) continue;
    std::vector<double> levels = levels_in(reference, places);
    const double mean = std::accumulate(levels.begin(), levels.end(), 0.0) / static_cast<double>(levels.size());
    for (double& level : levels) level -= mean;
    stretches.push_back(std::move(levels));
  }
  double sum = 0, products = 0;
  for (const auto& one : stretches) {
    sum += std::inner_product(one.begin(), one.end(), one.begin(), 0.0);
    for (const auto& other : stretches)
      products += std::pow(std::inner_product(one.begin(), one.end(), other.begin(), 0.0), 2);
  }
  if (stretches.empty()) return {};
  return {sum / static_cast<double>(stretches.size()), products > 0 ? (reference.distinct() - 1) * sum * sum / products : 0};
}

/// Steps of the window that a look at `step` compares with the one before it.
std::int64_t look_length(const Reference& reference, std::int64_t step) {
  const std::int64_t start = reference.steps.front() - reference.stride;
  return std::min<std::int64_t>(std::llround(kLookWindow * static_cast<double>(reference.last_step() - start)),
                                (step - start) / 2);
}

/// Variance of a run's level in a window of this many squares; needs degrees of freedom.
double variance_between(const Reference& reference, const NoisePool& pool, double squares) {
  if (reference.subject) return pool.total.dof > 0 ? std::max(pool.total.last, pool.total.before) / pool.total.dof : 0;
  const double runs = reference.distinct();
  return std::max(squares / std::max(1.0, runs - 1), (squares + pool.total.last) / (runs - 1 + pool.total.dof));
}

bool differ_much(const Reference& reference, const NoisePool& pool) {
  const std::int64_t length = look_length(reference, reference.last_step());
  if (length == 0 || reference.distinct() - 1 + pool.total.dof == 0) return false;
  return std::sqrt(variance_between(reference, pool, apart_over(reference, length).squares)) >
         kNoisy * reference.accept.target;
}

Judgement certain_fail(const Reference& reference, std::string reason, std::optional<std::int64_t> step) {
  Judgement judgement;
  judgement.metric = reference.metric.name;
  judgement.verdict = strategies::Verdict::fail;
  judgement.reason = std::move(reason);
  judgement.p_bad = 1;
  judgement.first_bad_step = step;
  return judgement;
}

}  // namespace

EarlyStop::EarlyStop(const Reference& reference, const NoisePool& pool)
    : reference_(reference), pool_(pool), noisy_(differ_much(reference, pool)) {}

std::optional<Judgement> EarlyStop::look(const Curve& so_far) {
  const Difference now = difference(reference_, so_far);
  if (now.track.empty()) return std::nullopt;
  for (; next_look_ < kLooks.size(); ++next_look_) {
    const std::int64_t step = step_at(reference_, kLooks[next_look_]);
    if (now.track.steps.back() < step) break;
    if (unlike_logs(reference_, so_far)) return std::nullopt;
    const Difference then = until(reference_, now, step);
    if (auto judgement = by_event(so_far, then)) return judgement;
    if (noisy_ && kLooks[next_look_] < kFirstNoisyLook) continue;
    if (!beyond_at(then, step)) {
      first_beyond_.reset();
    } else if (!first_beyond_) {
      first_beyond_ = step;
    } else {
      Judgement judgement = certain_fail(reference_, "level", first_beyond_);
      judgement.text = fmt::format("{} is certain to end beyond {:.3g} %, seen at steps {} and {}", reference_.metric.name,
                                   100 * reference_.accept.target, *first_beyond_, step);
      return judgement;
    }
  }
  return by_event(so_far, now);
}

std::optional<Judgement> EarlyStop::by_event(const Curve& curve, const Difference& difference) const {
  auto events = events_of(reference_, curve, difference, AttemptStage::running);
  // The mean over the run is known at its end; of a noisy run it is no more certain than the level.
  if (noisy_) std::erase_if(events, [](const Event& event) { return event.code == "multi-step"; });
  if (events.empty() || !events.front().fails) return std::nullopt;
  const Event& event = events.front();
  Judgement judgement = certain_fail(reference_, event.code, event.step ? event.step : difference.track.steps.back());
  judgement.text = event.text;
  return judgement;
}

/// Of a device that rounds coarsely the fine runs say too little: whether the verdict at the end of the part could still not
/// condemn it, if it stayed where it is.
bool EarlyStop::explained_by_rounding(const Difference& difference, double level) const {
  if (!reference_.ensemble) return false;
  if (is_drift_unknown(reference_, difference) && level <= kUnknownDrift) return true;
  const Ensemble& ensemble = *reference_.ensemble;
  const double factor = std::sqrt(1 + 1.0 / reference_.distinct());
  const Comparison at_end{.size = level,
                          .error = {factor * ensemble.spread_at(ensemble.rounding.coarseness_of(difference)), ensemble.dof},
                          .ground = Ground::ensemble,
                          .cautious = factor * ensemble.cautious_level(difference)};
  return decide(reference_.accept, at_end) != strategies::Verdict::fail;
}

bool EarlyStop::beyond_at(const Difference& difference, std::int64_t step) const {
  const std::int64_t length = look_length(reference_, step);
  const Places now = places_in(reference_, {step - length, step});
  const Places before = places_in(reference_, {step - 2 * length, step - length});
  if (values_in(difference, now).size() < kFewestLookPoints || values_in(difference, before).size() < kFewestLookPoints) {
    return false;
  }
  const double runs = reference_.distinct();
  const Apart apart = apart_over(reference_, length);
  const double dof = (reference_.subject ? 0 : std::max(runs - 1, apart.dof)) + pool_.total.dof;
  // Where nothing shows how far healthy runs are apart, only what no rounding explains is certain.
  const bool unknown = dof == 0;
  if (unknown && !(pool_.deterministic() && off_from_the_start(reference_, difference))) return false;
  // What a difference does inside the window says how far it may still go.
  const Variance inside = within_run(values_in(difference, now));
  double variance = inside.value;
  if (!unknown) {
    // Runs that have hardly separated yet look quieter than they will be: what they do later counts too.
    const double squares = std::max(squares_in(reference_, now), apart.squares);
    variance = std::max(variance, variance_between(reference_, pool_, squares) * (1 + 1 / runs));
  }
  const double reach = t_quantile(kAlpha / (2 * kLooks.size()), unknown ? inside.dof : dof) * std::sqrt(variance);
  const double sign = reference_.metric.higher_is_better ? -1 : 1;
  double level = sign * level_in(reference_, difference, now);
  double previous = sign * level_in(reference_, difference, before);
  // How fast it changes is seen best over all that was seen: the second half of it against the first.
  const std::int64_t half = (step - (reference_.steps.front() - reference_.stride)) / 2;
  const Places late = places_in(reference_, {step - half, step});
  double change = sign * (level_in(reference_, difference, late) -
                          level_in(reference_, difference, places_in(reference_, {step - 2 * half, step - half})));
  const double change_error = std::sqrt(2 * within_run(values_in(difference, late)).value);
  if (!reference_.accept.worse_only && level < 0) {
    level = -level;
    previous = -previous;
    change = -change;
  }
  // A transient that is on its way back must not stop the run: the line through both halves, drawn to the end, less two
  // standard errors of its slope.
  const double slope = (change - 2 * change_error) / static_cast<double>(half);
  const double at_end = level + slope * static_cast<double>(reference_.last_step() - step);
  const double target = reference_.accept.target;
  return level - reach > target && previous > target && at_end > target && !explained_by_rounding(difference, level);
}

}  // namespace bisectd::driver::judge
