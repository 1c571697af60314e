// See verdict.hpp. The grey-zone t-verdict of the shared design "verdict", sections 4.2 to 4.4:
//   pass  |D| <= target  and  |D| + c SE < g target
//   fail  |D| >  target  and  |D| - c SE > target / g          else inconclusive
// with c from Student's t, spent over the looks after each attempt.
// Invariant: never a pass while |D| > target, whatever the noise; never a fail by level while |D| <= target.
#include "driver/judge/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/attempt.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

// Chances, at the far edge of the grey zone, of a wrong verdict: of all looks before the last together, and of the last.
// Most is kept for the last look, as in group-sequential trials: a pass at the first look rests on a noise floor of few
// runs. Tuned with the benchmark: wrong <= 0.7 % and inconclusive <= 2 % while the noise is 0.2 %.
constexpr double kPassBefore = 0.012, kPassLast = 0.012;
constexpr double kFailBefore = 0.006, kFailLast = 0.024;
constexpr double kClear = 0.7;            ///< share of the target within which a pass needs no further look
// A fault that only spikes may stay silent for a while: one that hits 2 % of the steps is seen within 150 points in 95 of
// 100 cases. Runs of fewer than 30 points are not asked for as many.
constexpr std::size_t kPointsForPass = 150, kPointsOfCurve = 30;
constexpr std::size_t kQuietPoints = 250;  ///< in a shorter run a single spike that no reference has is suspicious
constexpr double kPower = 0.9;            ///< for the minimal detectable effect

bool equals_a_reference(const Reference& reference, const Track& track) {
  return std::any_of(reference.runs.begin(), reference.runs.end(),
                     [&](const Track& run) { return identical(run, track); });
}

/// The step from which the blocks stay beyond the target on the side of `delta`, up to the end.
std::optional<std::int64_t> first_bad_step(const Reference& reference, const Attempt& attempt, double delta) {
  constexpr std::size_t kBlocks = 20;
  const std::size_t points = reference.steps.size();
  std::optional<std::int64_t> step;
  for (std::size_t b = std::min(kBlocks, points), blocks = b; b-- > 0;) {
    const Places places{b * points / blocks, (b + 1) * points / blocks};
    if (values_in(attempt.difference, places).empty()) continue;
    if (std::copysign(1.0, delta) * level_in(reference, attempt.difference, places) <= reference.accept.target) break;
    step = reference.steps[places.from];
  }
  return step;
}

/// The numbers behind one verdict by level.
struct Comparison {
  double delta = 0;
  StandardError error;
  bool exact = false;        ///< no noise on either side
  bool within_run = false;   ///< no repeat anywhere: error seen from inside one run only
};

/// How far the true difference may lie from the estimate, as an error margin for passing and one for failing.
struct Reach {
  double pass = 0, fail = 0;
};

Reach reach_of(int max_repeats, bool last, const StandardError& error) {
  if (error.dof == 0) return {};
  const double looks = std::max(1, max_repeats - 1);
  return {t_quantile(last ? kPassLast : kPassBefore / looks, error.dof) * error.value,
          t_quantile(last ? kFailLast : kFailBefore / looks, error.dof) * error.value};
}

Verdict decide(const configs::Acceptance& accept, double grey, double size, const Comparison& comparison,
               const Reach& reach, bool may_repeat) {
  const double target = accept.target;
  if (comparison.exact) return size <= target ? Verdict::pass : Verdict::fail;
  const double upper = std::abs(size) + reach.pass, lower = size - reach.fail;
  const bool clear = !may_repeat || size <= kClear * target || upper <= target;
  if (size <= target && upper < grey * target && clear) return Verdict::pass;
  // Blind to the offset between runs, so it takes a clearer difference to fail.
  const bool beyond = comparison.within_run ? size > grey * target && lower > target
                                            : size > target && lower > target / grey;
  return beyond ? Verdict::fail : Verdict::inconclusive;
}

std::string describe(const Reference& reference, const Judgement& judgement, const Comparison& comparison) {
  std::string text = fmt::format("{} is {:.3g} % {} the reference (limit {:.3g} %)", reference.metric.name,
                                 100 * std::abs(comparison.delta), comparison.delta < 0 ? "below" : "above",
                                 100 * reference.accept.target);
  if (comparison.exact) return text + ", exactly";
  if (judgement.reason == "no-noise-floor") return text + "; nothing was repeated yet, so the noise is not known";
  if (judgement.reason == "spikes") return text + ", but steps that no reference has are far off";
  if (judgement.reason == "few-points") return text + ", but there are too few points to rule spikes out";
  text += fmt::format(", standard error {:.2g} %", 100 * comparison.error.value);
  if (judgement.verdict == Verdict::inconclusive) {
    text += fmt::format("; the noise hides the answer, which leans to {}", judgement.p_bad > 0.5 ? "fail" : "pass");
  }
  return text;
}

void add_notes(const Reference& reference, const Comparison& comparison, std::vector<std::string>& notes) {
  if (comparison.exact) {
    notes.push_back(reference.given > 1
                        ? "no noise floor: the references are identical, and so are repeats of the subject"
                        : "no noise floor: repeats of the subject are identical, and there is one reference only");
  } else if (comparison.within_run) {
    notes.push_back("no noise floor: nothing was repeated, the error is seen from inside one run");
  }
}

/// What keeps a pass by level from being one: spikes that trimming hides, or too few points to have seen any.
/// Deterministic runs are spared: a further run would show nothing new.
std::string doubt(const Reference& reference, std::span<const Attempt> attempts, bool may_repeat) {
  const std::size_t points = reference.steps.size();
  if (reference.metric.higher_is_better || points < kPointsOfCurve) return {};
  Spikes all;
  for (const Attempt& attempt : attempts) {
    const Spikes spikes = spikes_of(reference, attempt.difference);
    all.count += spikes.count;
    all.worst = spikes.worst;
  }
  if (all.too_many(attempts.size()) || (points < kQuietPoints && all.count > all.worst * attempts.size())) return "spikes";
  return may_repeat && points * attempts.size() < kPointsForPass ? "few-points" : "";
}

Judgement by_level(const Reference& reference, std::vector<Attempt> usable, std::size_t made, const NoisePool& pool,
                   Rigour rigour) {
  Judgement judgement;
  const auto [attempts, repeated] = distinct(std::move(usable));
  const Attempt& first = attempts.front();
  const int m = reference.distinct(), n = static_cast<int>(attempts.size());
  judgement.spread = spread_of(reference, attempts);
  judgement.spread.identical = repeated;

  Comparison comparison;
  for (const Attempt& attempt : attempts) {
    comparison.delta += level_in(reference, attempt.difference, attempt.window) / n;
  }
  judgement.delta = comparison.delta;
  const bool deterministic = n == 1 && pool.total.dof == 0 && (repeated > 0 || pool.deterministic());
  const bool may_repeat = !deterministic && made < static_cast<std::size_t>(reference.accept.max_repeats);
  comparison.exact = m == 1 && deterministic;
  Spread all = reference.level;
  all += judgement.spread;
  all += pool.total;
  const Variance inside = within_run(values_in(first.difference, first.window));
  if (all.dof > 0) {
    const Variance variance = variance_of(all);
    comparison.error = standard_error(variance, m, n, inside.value * m / (m + 1.0));
    judgement.noise = std::sqrt(variance.value);
  } else if (!comparison.exact) {
    comparison.within_run = true;
    comparison.error = {std::sqrt(inside.value), inside.dof};
  }

  const double target = reference.accept.target;
  const double grey = rigour == Rigour::strict ? 1.0 : reference.accept.grey;
  const double worse = reference.metric.higher_is_better ? -comparison.delta : comparison.delta;
  const double size = reference.accept.worse_only ? worse : std::abs(comparison.delta);
  const Reach reach = reach_of(reference.accept.max_repeats, !may_repeat, comparison.error);
  if (comparison.within_run && (may_repeat || comparison.error.dof == 0)) {
    judgement.verdict = Verdict::inconclusive;
    judgement.reason = "no-noise-floor";
  } else {
    judgement.verdict = decide(reference.accept, grey, size, comparison, reach, may_repeat);
    judgement.reason = judgement.verdict == Verdict::inconclusive ? "noise" : "level";
    if (judgement.verdict == Verdict::pass && !comparison.exact) {
      if (const std::string why = doubt(reference, attempts, may_repeat); !why.empty()) {
        judgement.verdict = Verdict::inconclusive;
        judgement.reason = why;
      }
    }
  }
  judgement.p_bad = comparison.exact || comparison.error.dof > 0
                        ? probability_beyond(target, size, comparison.error, reference.accept.worse_only)
                        : 0.5;
  if (comparison.exact || comparison.error.dof > 0) {
    judgement.standard_error = comparison.error.value;
    judgement.dof = comparison.error.dof;
    const double power = comparison.error.dof > 0 ? t_quantile(1 - kPower, comparison.error.dof) : 0;
    judgement.detectable = std::max(target + power * comparison.error.value,
                                    target / grey + reach.fail + power * comparison.error.value);
  }
  judgement.repeat_helps = judgement.verdict == Verdict::inconclusive && may_repeat;
  if (judgement.verdict == Verdict::fail) judgement.first_bad_step = first_bad_step(reference, first, comparison.delta);
  judgement.text = describe(reference, judgement, comparison);
  add_notes(reference, comparison, judgement.notes);
  if (first.difference.track.resumed) judgement.notes.push_back("resumed: the last value of a repeated step counts");
  if (first.difference.track.steps.back() < reference.last_step()) {
    judgement.notes.push_back(fmt::format("the curve ends at step {}; judged there", first.difference.track.steps.back()));
  }
  return judgement;
}

}  // namespace

Judgement judge(const Reference& reference, std::span<const Curve> curves, const NoisePool& pool, Rigour rigour) {
  std::vector<Attempt> usable;
  Judgement judgement;
  judgement.reason = "no-curve";
  judgement.text = "there is no attempt to judge";
  std::vector<std::string> notes;
  for (const Curve& curve : curves) {
    Attempt attempt = attempt_of(reference, curve);
    for (const Event& event : attempt.events) {
      if (!event.fails) {
        notes.push_back(event.text);
        continue;
      }
      judgement.verdict = Verdict::fail;
      judgement.reason = event.code;
      judgement.text = event.text;
      judgement.p_bad = 1;
      judgement.first_bad_step = event.step;
      if (attempt.trouble.empty()) judgement.delta = level_in(reference, attempt.difference, attempt.window);
      judgement.notes = std::move(notes);
      return judgement;
    }
    if (!attempt.trouble.empty()) {
      judgement.reason = attempt.trouble;
      judgement.text = attempt.trouble_text;
      notes.push_back(fmt::format("an attempt is left out: {}", attempt.trouble_text));
    } else {
      usable.push_back(std::move(attempt));
    }
  }
  if (usable.empty()) return judgement;

  if (std::all_of(usable.begin(), usable.end(), [&](const Attempt& attempt) {
        return equals_a_reference(reference, attempt.difference.track);
      })) {
    judgement.verdict = Verdict::pass;
    judgement.reason = "identical";
    judgement.text = fmt::format("{} equals a reference run bit for bit", reference.metric.name);
    judgement.delta = level_in(reference, usable.front().difference, usable.front().window);
    judgement.p_bad = 0;
    judgement.spread.identical = static_cast<int>(usable.size());
  } else {
    judgement = by_level(reference, std::move(usable), curves.size(), pool, rigour);
  }
  judgement.notes.insert(judgement.notes.end(), notes.begin(), notes.end());
  return judgement;
}

Judgement overall(std::span<const Judgement> by_metric) {
  const auto rank = [](const Judgement& judgement) {
    switch (judgement.verdict) {
      case Verdict::fail: return 0;
      case Verdict::unresolved: return 1;
      case Verdict::inconclusive: return 2;
      case Verdict::pass: return 3;
    }
    return 3;
  };
  Judgement worst = *std::min_element(by_metric.begin(), by_metric.end(),
                                      [&](const Judgement& a, const Judgement& b) { return rank(a) < rank(b); });
  for (const Judgement& judgement : by_metric) {
    worst.p_bad = std::max(worst.p_bad, judgement.p_bad);
    worst.repeat_helps = worst.repeat_helps || (worst.verdict == Verdict::inconclusive && judgement.repeat_helps);
  }
  return worst;
}

}  // namespace bisectd::driver::judge
