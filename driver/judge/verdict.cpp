// See verdict.hpp. Order of the rules: events, enough of a curve, the same bits as a reference, level.
// Invariant: never a pass while |delta| > target, whatever the noise; never a fail by level while |delta| <= target.
#include "driver/judge/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/attempt.hpp"
#include "driver/judge/events.hpp"
#include "driver/judge/grey_zone.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

// A fault that only spikes may stay silent for a while: one that hits 2 % of the steps is seen within 150 points in 95
// of 100 cases. Runs of fewer than 30 points are not asked for as many.
constexpr std::size_t kPointsForPass = 150, kPointsOfCurve = 30;
constexpr double kNoteAlpha = 0.005;       ///< chance that a healthy run is said to deviate, to one side
constexpr std::size_t kQuietPoints = 250;  ///< in a shorter run a single spike that no reference has is suspicious

bool equals_a_reference(const Reference& reference, const Track& track) {
  return std::any_of(reference.runs.begin(), reference.runs.end(), [&](const Track& run) { return identical(run, track); });
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

std::string describe(const Reference& reference, const Judgement& judgement, Ground ground) {
  const double delta = *judgement.delta;
  std::string text = fmt::format("{} is {:.3g} % {} the reference (limit {:.3g} %)", reference.metric.name,
                                 100 * std::abs(delta), delta < 0 ? "below" : "above", 100 * reference.accept.target);
  if (judgement.reason == "no-noise-floor") return text + "; nothing was repeated yet, so the noise is not known";
  if (judgement.reason == "rounding-unknown")
    return text +
           (ground == Ground::ensemble
                ? "; it begins as a healthy run does, and no run of the reference shows how far a device drifts apart "
                  "that rounds coarsely"
                : "; how far two healthy runs of this training drift apart was not measured, so rounding may explain it");
  if (judgement.reason == "spikes") return text + ", but steps that no reference has are far off";
  if (judgement.reason == "few-points") return text + ", but there are too few points to rule spikes out";
  text += fmt::format(", standard error {:.2g} %", 100 * judgement.standard_error.value_or(0));
  if (ground == Ground::within_run && judgement.verdict == Verdict::fail)
    text += "; it is off from the first steps on, by more than any rounding";
  if (ground == Ground::ensemble && judgement.verdict == Verdict::fail) {
    text += judgement.critical_rounding
                ? fmt::format("; only a device that rounds at {:.0e} or worse explains it", *judgement.critical_rounding)
                : fmt::format("; no rounding up to {:.0e} explains it", reference.ensemble->rounding.coarse_size);
  }
  if (judgement.verdict == Verdict::inconclusive) {
    text += fmt::format("; the noise hides the answer, which leans to {}", judgement.p_bad > 0.5 ? "fail" : "pass");
  }
  return text;
}

std::vector<std::string> notes_on(const Reference& reference, const Attempt& first, Ground ground) {
  std::vector<std::string> notes;
  if (ground == Ground::within_run)
    notes.push_back("nothing shows how far healthy runs are apart: the error is seen from inside one run");
  const Track& track = first.difference.track;
  if (track.resumed) notes.push_back("resumed: the last value of a repeated step counts");
  if (track.steps.back() < reference.last_step()) {
    notes.push_back(fmt::format("the curve ends at step {} of {}; judged there", track.steps.back(), reference.last_step()));
  }
  if (!first.gaps.empty()) notes.push_back(first.gaps);
  return notes;
}

/// What keeps a pass by level from being one: spikes that trimming hides, or too few points to have seen any.
/// Deterministic runs are spared: a further run would show nothing new.
std::string doubt(const Reference& reference, std::span<const Attempt> attempts, bool may_repeat) {
  const std::size_t points = reference.steps.size();
  if (reference.metric.higher_is_better || points < kPointsOfCurve) return {};
  Spikes all;
  for (const Attempt& attempt : attempts) {
    const Spikes spikes = spikes_of(reference, attempt.difference, AttemptStage::over);
    all.count += spikes.count;
    all.worst = spikes.worst;
  }
  if (all.too_many(attempts.size()) || (points < kQuietPoints && all.count > all.worst * attempts.size())) return "spikes";
  return may_repeat && points * attempts.size() < kPointsForPass ? "few-points" : "";
}

/// The grounds for comparing these attempts, and with them the error of `delta`.
Comparison comparison_of(const Reference& reference, const DistinctAttempts& distinct, double delta, const Spread& spread,
                         const NoisePool& pool, const configs::Acceptance& accept) {
  const int m = reference.distinct(), n = static_cast<int>(distinct.attempts.size());
  // Known to repeat bit for bit, from this trial or from earlier ones: a further attempt would show nothing new.
  const bool repeats_itself = n == 1 && pool.total.dof == 0 && (distinct.repeated > 0 || pool.deterministic());
  Comparison comparison;
  comparison.last_look = repeats_itself || n + distinct.repeated >= accept.max_repeats;
  comparison.size = badness(reference, delta);
  comparison.off_from_the_start = off_from_the_start(reference, distinct.attempts.front().difference);
  Spread all = known_spread(reference, pool);
  all += spread;
  Variance inside;  // of the attempt that wobbles most
  for (const Attempt& attempt : distinct.attempts) {
    const Variance one = within_run(values_in(attempt.difference, attempt.window));
    if (one.value >= inside.value) inside = one;
  }
  if (reference.ensemble) {
    const Ensemble& ensemble = *reference.ensemble;
    const Difference& first = distinct.attempts.front().difference;
    const double apart = ensemble.spread_at(ensemble.rounding.coarseness_of(first));
    comparison.ground = Ground::ensemble;
    comparison.last_look = true;
    comparison.error = standard_error({apart * apart, ensemble.dof}, m, 1, inside.value * m / (m + 1.0));
    comparison.cautious = ensemble.cautious_level(first) * std::sqrt(1 + 1.0 / m);
    comparison.healthy = {apart > 0 ? apart * std::sqrt(1 + 1.0 / m) : comparison.error.value,
                          std::max(comparison.cautious, comparison.error.value), ensemble.seldom()};
  } else if (all.dof > 0) {
    // Repeats of one device share its rounding: where only the perturbation tells them apart they are no further devices.
    const bool by_perturbation = reference.perturbed || (distinct.perturbed && !reference.subject);
    Variance one = variance_of(all);
    // Repeats of a device show its chance; what the rounding of another one grows to, only the runs that were moved
    // coarsely.
    if (const Variance apart = variance_of(reference.level); reference.coarsely && apart.value > one.value) one = apart;
    comparison.error = standard_error(one, m, by_perturbation ? 1 : n, inside.value * m / (m + 1.0));
  } else {
    comparison.ground = Ground::within_run;
    comparison.error = {std::sqrt(inside.value), inside.dof};
  }
  return comparison;
}

/// Which rounding would make this difference a healthy one, and whether it is larger than rounding although it does no harm.
void explain_by_rounding(const Reference& reference, const Comparison& comparison, const Attempt& first,
                         Judgement& judgement) {
  const Ensemble& ensemble = *reference.ensemble;
  judgement.coarseness = ensemble.rounding.coarseness_of(first.difference);
  const double factor = std::sqrt(1 + 1.0 / reference.distinct());
  judgement.healthy_spread = ensemble.spread_at(*judgement.coarseness);
  const double margin = t_quantile(kNoteAlpha, ensemble.dof) * factor;
  if (judgement.verdict == Verdict::fail) {
    const double unexplained = (comparison.size - reference.accept.target / reference.accept.grey) / margin;
    const double needed = ensemble.coarseness_at(unexplained / ensemble.caution_at(1));
    if (needed <= 1) judgement.critical_rounding = ensemble.rounding.size_at(needed);
  } else if (judgement.verdict == Verdict::pass &&
             comparison.size > margin * ensemble.caution_at(*judgement.coarseness) * *judgement.healthy_spread) {
    judgement.harmless = comparison.size;
  }
}

/// That the run is bad.
double probability_of(const configs::Acceptance& accept, const Comparison& comparison) {
  if (comparison.ground != Ground::ensemble)
    return probability_beyond(accept.target, comparison.size, comparison.error, accept.worse_only);
  return probability_of_harm(accept.target, comparison.size, comparison.error, comparison.healthy, accept.worse_only);
}

Judgement by_level(const Reference& reference, std::vector<Attempt> usable, const NoisePool& pool,
                   const configs::Acceptance& accept) {
  const DistinctAttempts all = distinct(std::move(usable));
  const std::vector<Attempt>& attempts = all.attempts;
  Judgement judgement;
  Spread spread = spread_of(reference, attempts);
  spread.identical = all.repeated;
  judgement.delta = 0;
  for (const Attempt& attempt : attempts) {
    *judgement.delta += level_in(reference, attempt.difference, attempt.window) / static_cast<double>(attempts.size());
  }
  const Comparison comparison = comparison_of(reference, all, *judgement.delta, spread, pool, accept);
  const bool may_repeat = !comparison.last_look;
  if (comparison.ground == Ground::within_run && (may_repeat || comparison.error.dof == 0)) {
    judgement.verdict = Verdict::inconclusive;
    judgement.reason = "no-noise-floor";
  } else {
    judgement.verdict = decide(accept, comparison);
    judgement.reason = "level";
    bool unknown = comparison.ground == Ground::within_run;
    if (judgement.verdict == Verdict::fail && (reference.ensemble || reference.distinct() > 1) &&
        comparison.size <= kUnknownDrift && is_drift_unknown(reference, attempts.front().difference)) {
      judgement.verdict = Verdict::inconclusive;
      unknown = true;
    }
    if (judgement.verdict == Verdict::inconclusive) judgement.reason = unknown ? "rounding-unknown" : "noise";
    if (judgement.verdict == Verdict::pass) {
      if (std::string why = doubt(reference, attempts, may_repeat); !why.empty()) {
        judgement.verdict = Verdict::inconclusive;
        judgement.reason = std::move(why);
      }
    }
  }
  if (comparison.error.dof > 0) {
    // What rounding alone may explain is evidence of nothing, however large it is.
    const StandardError error = judgement.verdict == Verdict::pass ? comparison.error : cautious_error(comparison);
    if (judgement.reason != "rounding-unknown") judgement.p_bad = probability_of(reference.accept, comparison);
    judgement.standard_error = error.value;
    judgement.dof = comparison.error.dof;
    judgement.detectable = detectable(accept, comparison);
  }
  if (comparison.ground == Ground::ensemble) explain_by_rounding(reference, comparison, attempts.front(), judgement);
  if (comparison.ground == Ground::repeats) {
    const double share = 1.0 / static_cast<double>(attempts.size()) + 1.0 / reference.distinct();
    judgement.noise = comparison.error.value / std::sqrt(share);
  }
  judgement.repeat_helps = judgement.verdict == Verdict::inconclusive && may_repeat;
  if (reference.shortened) {  // another window: no measure for whole runs
    spread = {};
    spread.identical = all.repeated;
  }
  judgement.spreads[reference.metric.name] = spread;
  if (judgement.verdict == Verdict::fail) {
    judgement.first_bad_step = first_bad_step(reference, attempts.front(), *judgement.delta);
  }
  judgement.text = describe(reference, judgement, comparison.ground);
  for (std::string& note : notes_on(reference, attempts.front(), comparison.ground))
    judgement.notes.push_back(std::move(note));
  return judgement;
}

Judgement by_event(const Reference& reference, const Attempt& attempt, const Event& event) {
  Judgement judgement;
  judgement.verdict = Verdict::fail;
  judgement.reason = event.code;
  judgement.text = event.text;
  judgement.p_bad = event.p_bad;
  judgement.first_bad_step = event.step;
  if (attempt.trouble.empty()) judgement.delta = level_in(reference, attempt.difference, attempt.window);
  return judgement;
}

Judgement identical_to_reference(const Reference& reference, std::span<const Attempt> attempts) {
  Judgement judgement;
  judgement.verdict = Verdict::pass;
  judgement.reason = "identical";
  judgement.text = fmt::format("{} equals a reference run bit for bit", reference.metric.name);
  judgement.delta = level_in(reference, attempts.front().difference, attempts.front().window);
  judgement.p_bad = 0;
  judgement.spreads[reference.metric.name].identical = static_cast<int>(attempts.size());
  return judgement;
}

/// No pass: the attempt may be good or not.
void forbid_pass(const Event& event, Judgement& judgement) {
  if (judgement.verdict != Verdict::pass) return;
  judgement.verdict = Verdict::inconclusive;
  judgement.reason = event.code;
  judgement.text = event.text;
  judgement.p_bad = 0.5;
  judgement.repeat_helps = false;
}

Judgement by_rules(const Reference& reference, std::span<const Curve> curves, const NoisePool& pool,
                   const configs::Acceptance& accept) {
  std::vector<Attempt> usable;
  std::vector<std::string> notes;
  std::optional<Event> forbids;
  Judgement judgement;
  judgement.reason = "no-curve";
  judgement.text = "there is no attempt to judge";
  for (const Curve& curve : curves) {
    Attempt attempt = attempt_of(reference, curve);
    for (const Event& event : attempt.events) {
      if (event.fails) {  // failing events come first: notes of this attempt would add nothing
        judgement = by_event(reference, attempt, event);
        judgement.notes = std::move(notes);
        return judgement;
      }
      notes.push_back(event.text);
      if (event.forbids_pass) forbids = event;
    }
    if (attempt.trouble.empty()) {
      usable.push_back(std::move(attempt));
    } else {
      judgement.reason = attempt.trouble;
      judgement.text = attempt.trouble_text;
      notes.push_back(fmt::format("an attempt is left out: {}", attempt.trouble_text));
    }
  }
  if (usable.empty()) return judgement;
  const bool same = std::all_of(usable.begin(), usable.end(), [&](const Attempt& attempt) {
    return equals_a_reference(reference, attempt.difference.track);
  });
  // A reference that is itself off is a matter of noise, not a proof. So is one run of a subject whose runs were seen to
  // differ: the next one may be another.
  const bool by_chance = reference.subject && usable.size() == 1;
  if (same) judgement = identical_to_reference(reference, usable);
  if (!same || by_chance || badness(reference, *judgement.delta) > reference.accept.target) {
    judgement = by_level(reference, std::move(usable), pool, accept);
  }
  judgement.notes.insert(judgement.notes.end(), notes.begin(), notes.end());
  if (forbids) forbid_pass(*forbids, judgement);
  return judgement;
}

}  // namespace

Judgement judge(const Reference& reference, std::span<const Curve> attempts, const NoisePool& pool,
                const configs::Acceptance& accept) {
  Judgement judgement = by_rules(reference, attempts, pool, accept);
  judgement.metric = reference.metric.name;
  return judgement;
}

}  // namespace bisectd::driver::judge
