// See panel.hpp.
#include "driver/judge/panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/attempt.hpp"
#include "driver/judge/events.hpp"
#include "driver/judge/grey_zone.hpp"
#include "driver/judge/horizon.hpp"
#include "driver/judge/numbering.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

/// Chance that a healthy run is condemned by what it does after the comparable part. Small, as few runs say little about the
/// tails of a spread that has grown this far.
constexpr double kLateAlpha = 0.0005;
/// Chance that noise alone looks like an event, where the subject varies by itself. Small, as a night has hundreds of
/// attempts.
constexpr double kEventAlpha = 0.0005;
constexpr double kLeastUnit = 0x1p-24;            ///< of a signature: what a float32 can show
constexpr std::size_t kFewestSignatureSteps = 4;  ///< backward faults show from the second step on
constexpr double kLateTargets = 2;                ///< and it must be off by so many targets there

/// Degrees of freedom of the eight runs that a reference has by itself. With fewer, as of three logs, the limit may be ten
/// times what is plausible: a run beyond the limit that eight would set is undecided.
constexpr double kUsualDof = 7;

/// Shares of the comparable part at which a run may be condemned, too. Measured on the recogniser, five seeds, ten
/// references, 200 steps (bench_healthy): of 100 judgements of faulty devices 14 instead of 23 stay undecided; of 150 of
/// healthy ones none more is condemned.
constexpr std::array kEarlierLooks = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};

/// By how many healthy spreads a run deviates without harm.
double clarity(const Judgement& judgement) {
  return judgement.harmless ? *judgement.harmless / *judgement.healthy_spread : 0;
}

/// How far one run's level is off by chance, over the two windows at the end, whichever is the larger.
Variance late_variance(const Spread& spread) {
  return {spread.dof > 0 ? std::max(spread.last, spread.before) / spread.dof : 0, static_cast<double>(spread.dof)};
}

}  // namespace

tl::expected<Panel, Problem> Panel::seat(const configs::Acceptance& accept, const MetricRule& metric,
                                         std::vector<Curve> references) {
  auto whole = prepare_reference(accept, references, metric);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  Panel panel(*std::move(whole), std::move(references));
  std::vector<Curve> fine, coarse;
  for (const Curve& curve : panel.references_) (is_coarse(curve.perturbed) ? coarse : fine).push_back(curve);
  const auto finely = prepare_reference(accept, fine, metric);
  if (finely && !metric.higher_is_better) panel.healthy_ = healthy_spread(*finely, coarse);
  if (panel.healthy_) {
    panel.references_ = std::move(fine);
    panel.fine_ = panel.cut(panel.healthy_->comparable_until(accept.target, 0));
  }
  return panel;
}

void Panel::learn(const Spread& spread) {
  pool_.add(spread);
  if (whole_.subject) bound_own_level(pool_.total);
}

void Panel::bound_own_level(const Spread& spread) {
  const Variance one = variance_of(spread);
  whole_.subject->level =
      one.dof > 0 ? t_quantile(kEventAlpha, one.dof) * std::sqrt(one.value * (1 + 1.0 / whole_.distinct())) : 0;
  if (shortened_) shortened_->subject = whole_.subject;
}

void Panel::learn_healthy_spread(std::span<const Curve> repeats) {
  if (whole_.metric.higher_is_better) return;
  const auto own = prepare_reference(whole_.accept, repeats, whole_.metric);
  if (!own) return;
  if (healthy_ && vary_by_themselves(*own, healthy_->rounding)) {
    // Atomic additions, other data: the reference's ensemble says nothing of that, and repeats of the subject do average it.
    healthy_.reset();
    fine_.reset();
    whole_.subject = OwnNoise{.step = own->noise_floor.step_noise};
    whole_.perturbed = false;
    bound_own_level(own->level);  // not into the pool: whoever judges these repeats puts them there
  }
  if (healthy_ || whole_.distinct() > 1) return;
  healthy_ = healthy_spread(*own, {});
  if (healthy_) fine_ = cut(healthy_->comparable_until(whole_.accept.target, 0));
}

void Panel::learn_subject(std::span<const Curve> repeats, Judged judged) {
  learn_healthy_spread(repeats);
  if (judged == Judged::no || !whole_.subject || pool_.total.dof > 0) return;
  if (const auto own = prepare_reference(whole_.accept, repeats, whole_.metric)) learn(own->level);
}

std::optional<Reference> Panel::cut(std::optional<std::int64_t> until) const {
  if (!until) return std::nullopt;
  auto part = prepare_reference(whole_.accept, references_, whole_.metric, *until);
  if (!part) return std::nullopt;
  part->diverged = whole_.diverged;          // also behind this part, and those of the coarse size
  const auto spread = healthy_->at(*until);  // of the window that ends there
  if (!spread) return std::nullopt;
  part->ensemble = Ensemble{.fine = spread->fine,
                            .coarse = spread->coarse,
                            .dof = healthy_->dof,
                            .rounding = healthy_->rounding,
                            .fine_step = spread->fine_step,
                            .coarse_step = spread->coarse_step,
                            .coarse_seen = healthy_->coarse_seen,
                            .flown_apart = spread->flown_apart};
  return *std::move(part);
}

double Panel::coarseness_of(std::span<const Curve> attempts) const {
  double coarseness = 0;
  for (const Curve& attempt : attempts)
    if (const Difference run = difference(fine_ ? *fine_ : whole_, attempt); !run.values.empty())
      coarseness = std::max(coarseness, healthy_->rounding.coarseness_of(run));
  return coarseness;
}

/// A fault may show best before rounding has grown: what no healthy run does there is no healthy run's. And what deviates
/// there without harm is said. The first look is at the part in which coarse devices are comparable: nothing has flown apart
/// by then.
void Panel::look_earlier(std::span<const Curve> attempts, const configs::Acceptance& accept, std::int64_t until,
                         Judgement& judgement) const {
  Judgement clearest = judgement;
  std::int64_t clearest_at = until;
  std::vector<std::int64_t> steps;
  if (const auto coarse = healthy_->comparable_until(accept.target, 1); coarse && *coarse < until) steps.push_back(*coarse);
  for (const double share : kEarlierLooks) steps.push_back(std::llround(share * static_cast<double>(until)));
  for (const std::int64_t step : steps) {
    if (judgement.verdict == Verdict::fail) return;
    const auto shorter = cut(step);
    if (!shorter) continue;
    Judgement there = judge::judge(*shorter, attempts, {}, accept);
    if (there.verdict == Verdict::fail) {
      judgement = std::move(there);
      judgement.comparable_until = step;
    } else if (clarity(there) > clarity(clearest)) {
      clearest = std::move(there);
      clearest_at = step;
    }
  }
  if (judgement.verdict == Verdict::pass && clearest.harmless)
    judgement.notes.push_back(
        fmt::format("at step {} it deviates by {:.2g} %, which is more than rounding explains (healthy runs are {:.2g} % "
                    "apart there), but "
                    "does no harm by the target",
                    clearest_at, 100 * *clearest.harmless, 100 * *clearest.healthy_spread));
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
      judgement.verdict = Verdict::inconclusive;
      judgement.reason = "noise";
      judgement.p_bad = there.p_bad;
      judgement.text += fmt::format("; {:+.2g} % at step {}, where healthy runs are {:.2g} % apart", 100 * *there.delta,
                                    later, 100 * there.healthy_spread.value_or(0));
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
  if (judgement.reason == "identical") judgement.text += fmt::format(", up to step {}", part->last_step());
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
    const double caution = Ensemble::caution_at(coarseness_of(std::span(&curve, 1)));  // as within the comparable part
    const double error = caution * std::sqrt(variance.value * (1 + 1.0 / whole_.distinct()));
    const auto limit_of = [&](double dof) {
      return std::max(kLateTargets * whole_.accept.target, t_quantile(kLateAlpha, dof) * error);
    };
    if (badness(whole_, level) <= limit_of(std::max(variance.dof, kUsualDof))) continue;
    judgement.delta = level;
    judgement.standard_error = error;
    judgement.dof = variance.dof;
    if (badness(whole_, level) <= limit_of(variance.dof) ||
        (badness(whole_, level) <= kUnknownDrift && is_drift_unknown(*fine_, difference(*fine_, curve)))) {
      judgement.verdict = Verdict::inconclusive;
      judgement.reason = "few-references";
      judgement.p_bad = 0.5;
      judgement.text = fmt::format(
          "{} ends {:.2g} % {} the reference, where healthy runs are {:.2g} % apart: {} of them are too few to tell whether "
          "that is healthy",
          whole_.metric.name, 100 * std::abs(level), level < 0 ? "below" : "above", 100 * std::sqrt(variance.value),
          whole_.distinct());
      undecided = judgement;
      continue;
    }
    judgement.verdict = Verdict::fail;
    judgement.reason = "late";
    judgement.p_bad = probability_of_harm(whole_.accept.target, level, {error, variance.dof}, whole_.accept.worse_only);
    judgement.text = fmt::format(
        "{} ends {:.2g} % {} the reference, more than the {:.2g} % that healthy runs are apart there explain",
        whole_.metric.name, 100 * std::abs(level), level < 0 ? "below" : "above", 100 * std::sqrt(variance.value));
    return judgement;
  }
  return undecided;
}

Judgement Panel::judge(std::span<const Curve> attempts, const configs::Acceptance& accept) const {
  Judgement judgement = judge_whole(attempts, accept);
  doubt_numbering(whole_, attempts, judgement);
  return judgement;
}

Judgement Panel::judge_whole(std::span<const Curve> attempts, const configs::Acceptance& accept) const {
  if (!healthy_) return judge::judge(whole_, attempts, pool_, accept);
  Judgement judgement = judge_part(attempts, accept, {});
  const bool open = judgement.verdict == Verdict::pass || judgement.verdict == Verdict::inconclusive;
  if (open && judgement.comparable_until)
    if (auto late = beyond_comparable(attempts)) {
      late->comparable_until = judgement.comparable_until;
      late->spreads = judgement.spreads;
      late->notes = judgement.notes;
      return *late;
    }
  return judgement;
}

Judgement Panel::judge_shortened(std::span<const Curve> attempts) const {
  if (!healthy_) return judge::judge(*shortened_, attempts, pool_);
  return judge_part(attempts, whole_.accept, shortened_ ? std::optional(shortened_->last_step()) : std::nullopt);
}

std::optional<std::int64_t> Panel::comparable_until() const {
  if (!healthy_) return whole_.last_step();
  return fine_ ? std::optional(fine_->last_step()) : std::nullopt;
}

EarlyStop Panel::early_stop() const { return EarlyStop(fine_ ? *fine_ : whole_, pool_); }

bool Panel::has_reached_comparable(const Curve& so_far) const {
  if (!healthy_ || !fine_) return false;
  const Difference run = difference(*fine_, so_far);
  return !run.track.empty() && run.track.steps.back() >= fine_->last_step();
}

std::vector<Finding> Panel::findings() const {
  if (!healthy_) return preflight(whole_, pool_).findings;
  std::vector<Finding> findings = preflight(fine_ ? *fine_ : whole_, {}).findings;
  std::erase_if(findings, [](const Finding& finding) { return finding.code == "too-noisy" || finding.code == "diverged"; });
  add_diverged(whole_, findings);  // also those that are finite in the comparable part
  const double percent = 100 * whole_.accept.target / 4;
  if (!fine_)
    findings.insert(
        findings.begin(),
        {"not-comparable",
         true,
         fmt::format("no part of the run is comparable: nearly from the start, two healthy runs of this training differ "
                     "by more than {:.2g} % in {}",
                     percent, whole_.metric.name),
         {"log more often at the start", "lower the learning rate of the first steps on both sides",
          fmt::format("accept what can be decided: a larger accept.target than {:.3g} %", 400 * percent / 100)}});
  else if (fine_->last_step() < whole_.last_step()) findings.push_back({"comparable", false, comparable_text(), {}});
  if (fine_ && !healthy_->coarse_seen)
    findings.push_back(
        {"no-coarse-runs",
         false,
         "no run of the reference rounds coarsely, so a fault that begins as small as rounding stays undecided",
         {"let the seeds 5 to 7 of `perturb` move the initial parameters by 2^-10 of their size",
          "repeat the reference eight times"}});
  return findings;
}

double Panel::noise() const {
  if (healthy_) return fine_ ? fine_->ensemble->fine : 0;
  return preflight(whole_, pool_).noise;
}

std::string Panel::comparable_text() const {
  const double apart = 100 * fine_->ensemble->fine * std::sqrt(2.0);
  if (fine_->last_step() == whole_.last_step())
    return fmt::format("{} is comparable up to its last step, {}: two healthy runs differ by no more than {:.2g} % there",
                       whole_.metric.name, whole_.last_step(), apart);
  return fmt::format("{} is comparable up to step {} of {}: from there on two healthy runs differ by more than {:.2g} %",
                     whole_.metric.name, fine_->last_step(), whole_.last_step(), apart);
}

void Panel::set_signature_steps(std::size_t count) {
  units_.clear();
  const auto comparable = comparable_until();
  if (!healthy_ || !comparable) return;
  const auto fine = prepare_reference(whole_.accept, references_, whole_.metric);
  double unit = std::max(kLeastUnit, healthy_->rounding.printed / 2);
  for (std::size_t place = 0; place < std::min(count, whole_.steps.size()) && whole_.steps[place] <= *comparable; ++place) {
    // Few runs may agree at one step by luck, and what rounding grows to does not shrink.
    double squares = 0;
    if (fine && fine->distinct() > 1 && place < fine->steps.size() && fine->steps[place] == whole_.steps[place]) {
      for (const auto& run : fine->residuals) squares += run[place] * run[place] / (fine->distinct() - 1);
      unit = std::max(unit, std::sqrt(squares));
    }
    units_.push_back(unit);
  }
  if (units_.size() < kFewestSignatureSteps) units_.clear();
  beginning_ = fine && std::ranges::equal(std::span(whole_.steps).first(units_.size()),
                                          std::span(fine->steps).first(std::min(units_.size(), fine->steps.size())))
                   ? *fine
                   : whole_;
}

std::optional<std::int64_t> Panel::signature_until() const {
  return units_.empty() ? std::nullopt : std::optional(whole_.steps[units_.size() - 1]);
}

std::vector<double> Panel::signature(const Curve& run) const {
  if (units_.empty()) return {};
  const Difference apart = difference(*beginning_, run);
  std::vector<double> values;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (i >= apart.places.size() || apart.places[i] != i) return {};
    values.push_back(apart.values[i] / units_[i]);
  }
  return values;
}

std::optional<std::int64_t> Panel::needed_steps(const Curve& known_bad) const {
  if (judge(std::span(&known_bad, 1)).verdict == Verdict::pass) return std::nullopt;
  if (!healthy_) return learn_horizon(whole_, pool_, known_bad);
  const bool seen = fine_ && judge_part(std::span(&known_bad, 1), whole_.accept, {}).verdict == Verdict::fail;
  return seen ? learn_horizon(*fine_, {}, known_bad) : whole_.last_step();
}

void Panel::set_horizon(std::int64_t until) {
  shortened_.reset();
  if (healthy_) {
    if (fine_) shortened_ = cut(std::min(until, fine_->last_step()));
    return;
  }
  auto shortened = prepare_reference(whole_.accept, references_, whole_.metric, until);
  if (!shortened) return;
  shortened_ = *std::move(shortened);
  shortened_->subject = whole_.subject;
}

}  // namespace bisectd::driver::judge
