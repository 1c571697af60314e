// See panel.hpp: how a whole run is judged, by the comparable part, by looks at shorter and longer ones, and by what comes
// after.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/attempt.hpp"
#include "driver/judge/events.hpp"
#include "driver/judge/grey_zone.hpp"
#include "driver/judge/numbering.hpp"
#include "driver/judge/panel.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

/// Chance that a healthy run is condemned by what it does after the comparable part. Small, as few runs say little about the
/// tails of a spread that has grown this far.
constexpr double kLateAlpha = 0.0005;
constexpr double kLateTargets = 2;  ///< and it must be off by so many targets there

/// Degrees of freedom of the eight runs that a reference has by itself. With fewer, as of three logs, the limit may be ten
/// times what is plausible: a run beyond the limit that eight would set is undecided.
constexpr double kUsualDof = 7;

/// Shares of the comparable part at which a run may be condemned, too. Measured on the recogniser, five seeds, ten
/// references, 200 steps (bench_healthy): of 100 judgements of faulty devices 14 instead of 23 stay undecided; of 150 of
/// healthy ones none more is condemned.
constexpr std::array kEarlierLooks = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};

/// First steps of a run that is off by the same from the first one on, and how much they may differ among themselves, as a
/// share of their mean. A log that is wrong by 2 %, in a mixture of experts whose coarse runs are apart by 1 % at step 7 and
/// 6 % at step 9: 1.82 to 1.94 % in the first twelve steps. Other dropout masks differ by something else in every step.
constexpr std::size_t kSteadySteps = 12, kFewestSteadySteps = 6;
constexpr double kSteady = 0.1;
constexpr double kSteadilyBad = 0.99;  ///< p_bad, chosen: of 140 healthy runs (healthy_devices.py) none is such a one

bool is_steady(std::span<const double> values) {
  double mean = 0, squares = 0;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean) / (count - 1);
  return std::sqrt(squares) < kSteady * std::abs(mean);
}

/// By how many healthy spreads a run deviates without harm.
double clarity(const Judgement& judgement) {
  return judgement.harmless ? *judgement.harmless / *judgement.healthy_spread : 0;
}

/// How far one run's level is off by chance, over the two windows at the end, whichever is the larger.
Variance late_variance(const Spread& spread) {
  return {spread.dof > 0 ? std::max(spread.last, spread.before) / spread.dof : 0, static_cast<double>(spread.dof)};
}

}  // namespace

double Panel::coarseness_of(std::span<const Curve> attempts) const {
  double coarseness = 0;
  for (const Curve& attempt : attempts)
    if (const Difference run = difference(comparable_part(), attempt); !run.values.empty())
      coarseness = std::max(coarseness, healthy_->rounding.coarseness_of(run));
  return coarseness;
}

/// What another part shows speaks against a pass, but not clearly enough to condemn the run.
void take_pass_back(Judgement& judgement, const Judgement& there, std::int64_t step) {
  judgement.verdict = Verdict::inconclusive;
  judgement.reason = "noise";
  judgement.p_bad = there.p_bad;
  judgement.text += fmt::format("; {:+.2g} % at step {}, where healthy runs are {:.2g} % apart", 100 * *there.delta, step,
                                100 * there.healthy_spread.value_or(0));
}

/// A fault may show best before rounding has grown: what no healthy run does there is no healthy run's. Where that is more
/// likely than not without being clear, the run does not pass either. But a run that passes at its very end was off on the
/// way only, and that is said, as what deviates without harm is. The first look is at the part in which coarse devices are
/// comparable: nothing has flown apart by then.
void Panel::look_earlier(std::span<const Curve> attempts, const configs::Acceptance& accept, std::int64_t until,
                         Judgement& judgement) const {
  const bool ends_well = judgement.verdict == Verdict::pass && until == whole_.last_step();
  Judgement clearest = judgement, likeliest;  // the clearest harmless deviation, and the likeliest harm
  std::int64_t clearest_at = until, likeliest_at = until;
  likeliest.p_bad = 0.5;
  std::vector<std::int64_t> steps;
  if (const auto coarse = healthy_->comparable_until(accept.target, 1); coarse && *coarse < until) steps.push_back(*coarse);
  for (const double share : kEarlierLooks) steps.push_back(std::llround(share * static_cast<double>(until)));
  for (const std::int64_t step : steps) {
    if (judgement.verdict == Verdict::fail) return;
    const auto shorter = cut(step);
    if (!shorter) continue;
    Judgement there = judge::judge(*shorter, attempts, {}, accept);
    if (there.verdict == Verdict::fail && !ends_well) {
      judgement = std::move(there);
      judgement.comparable_until = step;
    } else if (there.delta && there.p_bad > likeliest.p_bad) {
      likeliest = std::move(there);
      likeliest_at = step;
    } else if (clarity(there) > clarity(clearest)) {
      clearest = std::move(there);
      clearest_at = step;
    }
  }
  if (judgement.verdict != Verdict::pass) return;
  if (likeliest.delta && !ends_well) {
    take_pass_back(judgement, likeliest, likeliest_at);
  } else if (likeliest.delta) {
    judgement.notes.push_back(fmt::format(
        "at step {} it was off by {:+.2g} % (healthy runs are {:.2g} % apart there), but it ends within the target",
        likeliest_at, 100 * *likeliest.delta, 100 * likeliest.healthy_spread.value_or(0)));
  } else if (clearest.harmless) {
    judgement.notes.push_back(
        fmt::format("at step {} it deviates by {:.2g} %, which is more than rounding explains (healthy runs are {:.2g} % "
                    "apart there), but "
                    "does no harm by the target",
                    clearest_at, 100 * *clearest.harmless, 100 * *clearest.healthy_spread));
  }
}

/// What a device that rounds coarsely does in somewhat longer parts may condemn it, and may take a pass back.
void Panel::look_later(std::span<const Curve> attempts, const configs::Acceptance& accept, double coarseness,
                       std::optional<std::int64_t> horizon, Judgement& judgement) const {
  for (const std::int64_t later : healthy_->telling_until(whole_.accept.target, coarseness)) {
    if ((horizon && later > *horizon) || judgement.verdict == Verdict::fail) return;
    const auto longer = cut(later);
    if (!longer) return;
    Judgement there = judge::judge(*longer, attempts, {}, accept);
    if (there.verdict == Verdict::fail) {
      judgement = std::move(there);
      judgement.comparable_until = later;
    } else if (judgement.verdict == Verdict::pass && there.delta &&
               badness(*longer, *there.delta) > whole_.accept.target + there.standard_error.value_or(0)) {
      take_pass_back(judgement, there, later);
    }
  }
}

Judgement Panel::judge_part(std::span<const Curve> attempts, const configs::Acceptance& accept,
                            std::optional<std::int64_t> horizon) const {
  const double coarseness = coarseness_of(attempts);
  auto until = healthy_->comparable_until(whole_.accept.target, coarseness);
  if (until && horizon) until = std::min(*until, *horizon);
  const std::optional<Reference> part = cut(until);
  if (!part) return not_comparable(attempts, accept);
  Judgement judgement = judge::judge(*part, attempts, {}, accept);
  look_earlier(attempts, accept, part->last_step(), judgement);
  look_later(attempts, accept, coarseness, horizon, judgement);
  judgement.spreads.clear();  // of another window than the whole run's
  judgement.spreads[whole_.metric.name] = {};
  if (part->last_step() == whole_.last_step()) return judgement;
  if (!judgement.comparable_until) judgement.comparable_until = part->last_step();
  if (judgement.reason == "identical" || judgement.reason == "level" || judgement.reason == "noise")
    judgement.text += fmt::format(", up to step {}", *judgement.comparable_until);
  return judgement;
}

/// Events need no comparable part, and neither does a run that is no curve at all.
Judgement Panel::not_comparable(std::span<const Curve> attempts, const configs::Acceptance& accept) const {
  Judgement judgement = judge::judge(whole_, attempts, pool_, accept);
  const bool by_level = judgement.reason == "level" || judgement.reason == "noise" || judgement.reason == "multi-step" ||
                        judgement.reason == "spikes";
  if (!by_level) return judgement;
  judgement.verdict = Verdict::inconclusive;
  judgement.reason = "not-comparable";
  judgement.p_bad = 0.5;
  judgement.repeat_helps = false;
  judgement.text =
      fmt::format("no part of the run is comparable: healthy runs are further apart than {:.2g} % nearly from the start",
                  100 * whole_.accept.target / 4);
  return judgement;
}

/// Whether a run is beyond the target from its first step on, by more than any rounding is there, by the same at each of the
/// first steps, and still at the end of the comparable part: no chaos has grown by then, and none keeps a difference as it
/// is.
bool Panel::is_steadily_off(const Curve& curve) const {
  const Attempt attempt = attempt_of(comparable_part(), curve);
  const Difference& run = attempt.difference;
  if (!attempt.trouble.empty() || !healthy_->rounding.begins_beyond(run)) return false;
  const std::size_t steps = std::min(kSteadySteps, run.values.size());
  if (steps < kFewestSteadySteps || run.places[steps - 1] != steps - 1) return false;
  const Reference& part = comparable_part();
  std::vector<double> off, shares;  // as the metric is logged, and of what the reference logged
  for (std::size_t place = 0; place < steps; ++place) {
    off.push_back(run.values[place] * part.scale[place]);
    shares.push_back(off.back() / part.mean[place]);
  }
  const auto beyond = [&](double value) {
    return value * run.values.front() > 0 && badness(part, value) > part.accept.target;
  };
  return (is_steady(off) || is_steady(shares)) && std::ranges::all_of(std::span(run.values).first(steps), beyond) &&
         beyond(level_in(part, run, attempt.window));
}

/// What fails a run though runs fly apart too soon for its level to be judged.
void Panel::condemn_if_steadily_off(std::span<const Curve> attempts, Judgement& judgement) const {
  if (!std::ranges::all_of(attempts, [&](const Curve& curve) { return is_steadily_off(curve); })) return;
  const Attempt attempt = attempt_of(comparable_part(), attempts.front());
  judgement.verdict = Verdict::fail;
  judgement.reason = "level";
  judgement.p_bad = kSteadilyBad;
  judgement.repeat_helps = false;
  const Reference& part = comparable_part();
  const double first = part.mean.front(), level = level_in(part, attempt.difference, attempt.window);
  judgement.text = fmt::format(
      "{} is {:.5g} instead of {:.5g} at its first step, which is no rounding, is off by as much in the next ones, "
      "and {:.2g} % {} the reference up to step {} (limit {:.2g} %)",
      whole_.metric.name, first + attempt.difference.values.front() * part.scale.front(), first, 100 * std::abs(level),
      level < 0 ? "below" : "above", part.last_step(), 100 * part.accept.target);
}

double Panel::late_error(const Curve& curve, double variance) const {
  const double caution = Ensemble::caution_at(coarseness_of(std::span(&curve, 1)));  // as within the comparable part
  return caution * std::sqrt(variance * (1 + 1.0 / whole_.distinct()));
}

double Panel::late_limit(double error, double dof) const {
  return std::max(kLateTargets * whole_.accept.target, t_quantile(kLateAlpha, dof) * error);
}

/// What a run does where healthy ones are apart can only fail it, and only by more than their spread explains.
std::optional<Judgement> Panel::beyond_comparable(std::span<const Curve> attempts) const {
  const Variance variance = late_variance(whole_.level);
  std::optional<Judgement> undecided;
  for (const Curve& curve : attempts) {
    const Attempt attempt = attempt_of(whole_, curve);
    Judgement judgement;
    judgement.metric = whole_.metric.name;
    for (const Event& event : attempt.events) {
      if ((!event.fails && !event.forbids_pass) || event.code != "nan") continue;
      judgement.verdict = event.fails ? Verdict::fail : Verdict::inconclusive;
      judgement.reason = event.code;
      judgement.text = event.text;
      judgement.p_bad = event.fails ? 1 : 0.5;
      judgement.first_bad_step = event.step;
      return judgement;
    }
    if (!attempt.trouble.empty()) {
      judgement.reason = attempt.trouble;
      judgement.text = attempt.trouble_text;
      return judgement;
    }
    if (variance.dof == 0) continue;
    const double level = level_in(whole_, attempt.difference, attempt.window);
    const double error = late_error(curve, variance.value);
    const auto limit_of = [&](double dof) { return late_limit(error, dof); };
    if (badness(whole_, level) <= limit_of(std::max(variance.dof, kUsualDof))) continue;
    judgement.delta = level;
    judgement.standard_error = error;
    judgement.dof = variance.dof;
    // Behind the comparable part a reference that diverged is left out, and the others are closer together than devices;
    // where runs are apart by half of the first loss, eight of them do not show how far that goes.
    if (badness(whole_, level) <= limit_of(variance.dof) || whole_.diverged > 0 || whole_.unstable_from ||
        (badness(whole_, level) <= kUnknownDrift &&
         is_drift_unknown(comparable_part(), difference(comparable_part(), curve)))) {
      judgement.verdict = Verdict::inconclusive;
      judgement.reason = "few-references";
      judgement.p_bad = 0.5;
      judgement.text = fmt::format(
          "{} ends {:.2g} % {} the reference, where healthy runs are {:.2g} % apart: {} of them{} are too few to tell "
          "whether that is healthy",
          whole_.metric.name, 100 * std::abs(level), level < 0 ? "below" : "above", 100 * std::sqrt(variance.value),
          whole_.distinct(), whole_.diverged > 0 ? ", without those that diverged," : "");
      undecided = judgement;
      continue;
    }
    judgement.verdict = Verdict::fail;
    judgement.reason = "late";
    judgement.p_bad =
        probability_of_harm(whole_.accept.target, level, {error, variance.dof}, {error, error, 0}, whole_.accept.worse_only);
    judgement.text = fmt::format(
        "{} ends {:.2g} % {} the reference, more than the {:.2g} % that healthy runs are apart there explain",
        whole_.metric.name, 100 * std::abs(level), level < 0 ? "below" : "above", 100 * std::sqrt(variance.value));
    return judgement;
  }
  return undecided;
}

/// A pass goes by the comparable part. Where the run ends further off than the target, whoever reads its curve must be told
/// why that is no fail.
void Panel::note_end(std::span<const Curve> attempts, Judgement& judgement) const {
  const Variance variance = late_variance(whole_.level);
  if (variance.dof == 0) return;
  for (const Curve& curve : attempts) {
    const Attempt attempt = attempt_of(whole_, curve);
    if (!attempt.trouble.empty()) continue;
    const double level = level_in(whole_, attempt.difference, attempt.window);
    if (badness(whole_, level) <= whole_.accept.target) continue;
    const double limit = late_limit(late_error(curve, variance.value), std::max(variance.dof, kUsualDof));
    judgement.notes.push_back(fmt::format(
        "it ends {:+.2g} % off, which proves nothing: behind step {} healthy runs drift apart, by {:.2g} % at the "
        "end, and only more than {:.2g} % fails there",
        100 * level, *judgement.comparable_until, 100 * std::sqrt(variance.value), 100 * limit));
    return;
  }
}

Judgement Panel::judge(std::span<const Curve> attempts, const configs::Acceptance& accept) const {
  Judgement judgement = judge_whole(attempts, accept);
  doubt_numbering(whole_, attempts, judgement);
  return judgement;
}

Judgement Panel::judge_whole(std::span<const Curve> attempts, const configs::Acceptance& accept) const {
  if (!healthy_) return judge::judge(whole_, attempts, pool_, accept);
  Judgement judgement = judge_part(attempts, accept, {});
  if (judgement.verdict == Verdict::inconclusive && !attempts.empty()) condemn_if_steadily_off(attempts, judgement);
  const bool open = judgement.verdict == Verdict::pass || judgement.verdict == Verdict::inconclusive;
  if (open && judgement.comparable_until)
    if (auto late = beyond_comparable(attempts)) {
      late->comparable_until = judgement.comparable_until;
      late->spreads = judgement.spreads;
      late->notes = judgement.notes;
      return *late;
    }
  if (judgement.verdict == Verdict::pass && judgement.comparable_until) note_end(attempts, judgement);
  return judgement;
}

Judgement Panel::judge_until(std::span<const Curve> attempts, std::int64_t step) const {
  const std::optional<Reference> part = cut(step);
  return part ? judge::judge(*part, attempts, {}, whole_.accept) : Judgement{};
}

Judgement Panel::judge_shortened(std::span<const Curve> attempts) const {
  if (!healthy_) return judge::judge(*shortened_, attempts, pool_);
  return judge_part(attempts, whole_.accept, shortened_ ? std::optional(shortened_->last_step()) : std::nullopt);
}

}  // namespace bisectd::driver::judge
