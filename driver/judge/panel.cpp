// See panel.hpp: what a panel is seated with, learns and says. How it judges is in panel_judging.cpp.
#include "driver/judge/panel.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/events.hpp"
#include "driver/judge/horizon.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

/// Chance that noise alone looks like an event, where the subject varies by itself. Small, as a night has hundreds of
/// attempts.
constexpr double kEventAlpha = 0.0005;
constexpr double kLeastUnit = 0x1p-24;  ///< of a signature: what a float32 can show
constexpr std::string_view kOfWholeRuns[] = {"too-noisy", "left-out", "resumed", "diverged"};  ///< codes of findings
constexpr std::size_t kFewestSignatureSteps = 4;  ///< backward faults show from the second step on

struct ByCoarseness {
  std::vector<Curve> fine, coarse;
};

ByCoarseness by_coarseness(std::span<const Curve> runs) {
  ByCoarseness sorted;
  for (const Curve& run : runs) (is_coarse(run.perturbed) ? sorted.coarse : sorted.fine).push_back(run);
  return sorted;
}

}  // namespace

tl::expected<Panel, Problem> Panel::seat(const configs::Acceptance& accept, const MetricRule& metric,
                                         std::vector<Curve> references) {
  auto whole = prepare_reference(accept, references, metric);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  Panel panel(*std::move(whole), std::move(references));
  auto [fine, coarse] = by_coarseness(panel.references_);
  const auto finely = prepare_reference(accept, fine, metric);
  if (finely) panel.healthy_ = healthy_spread(*finely, coarse);
  if (panel.healthy_) {
    panel.references_ = std::move(fine);
    panel.coarse_ = std::move(coarse);
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
  const auto [fine, coarse] = by_coarseness(repeats);
  const auto own = prepare_reference(whole_.accept, fine, whole_.metric);
  if (!own) return;
  if (healthy_ && vary_by_themselves(*own, healthy_->rounding)) {
    // Atomic additions, other data: the reference's ensemble says nothing of that, and repeats of the subject do average it.
    healthy_.reset();
    fine_.reset();
    whole_.subject = OwnNoise{.step = own->noise_floor.step_noise};
    whole_.perturbed = whole_.coarsely = false;
    bound_own_level(own->level);  // not into the pool: whoever judges these repeats puts them there
  }
  if (!lacks_coarse_runs()) return;
  auto shown = healthy_spread(*own, coarse);
  if (!shown || (healthy_ && !shown->coarse_seen)) return;
  healthy_ = std::move(shown);
  coarse_ = coarse;
  fine_ = cut(healthy_->comparable_until(whole_.accept.target, 0));
}

void Panel::learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt) {
  learn_healthy_spread(repeats);
  if (learnt == AlreadyLearnt::no || !whole_.subject || pool_.total.dof > 0) return;
  if (const auto own = prepare_reference(whole_.accept, repeats, whole_.metric)) learn(own->level);
}

std::optional<Reference> Panel::cut(std::optional<std::int64_t> until) const {
  if (!until) return std::nullopt;
  auto part = prepare_reference(whole_.accept, references_, whole_.metric, *until);
  if (!part) return std::nullopt;
  part->diverged = whole_.diverged;  // also behind this part, and those of the coarse size
  part->unstable_from = whole_.unstable_from;
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
  for (const Curve& run : coarse_)
    part->ensemble->coarse_block_error =
        std::max(part->ensemble->coarse_block_error, block_error_of(*part, difference(*part, run)));
  return *std::move(part);
}

std::optional<std::int64_t> Panel::comparable_until() const {
  if (!healthy_) return whole_.last_step();
  return fine_ ? std::optional(fine_->last_step()) : std::nullopt;
}

EarlyStop Panel::early_stop() const { return EarlyStop(comparable_part(), pool_); }

bool Panel::has_reached_comparable(const Curve& so_far) const {
  if (!healthy_ || !fine_) return false;
  const Difference run = difference(*fine_, so_far);
  return !run.track.empty() && run.track.steps.back() >= fine_->last_step();
}

/// Where runs vary by themselves the references that were moved coarsely may be all that is too far apart.
void Panel::say_if_coarse_runs_alone_are_noisy(std::vector<Finding>& findings) const {
  const auto noisy = std::ranges::find(findings, "too-noisy", &Finding::code);
  if (noisy == findings.end() || !whole_.coarsely) return;
  const auto finely = prepare_reference(whole_.accept, by_coarseness(references_).fine, whole_.metric);
  if (!finely) return;
  const Preflight fine = preflight(*finely, pool_);
  if (std::ranges::count(fine.findings, "too-noisy", &Finding::code) > 0) return;
  noisy->options.insert(noisy->options.begin(),
                        fmt::format("where the subject computes in float32, leave out the runs that are moved as far as "
                                    "float16 rounds (`perturb: none`): the others differ by {:.2g} %",
                                    100 * fine.noise));
}

std::vector<Finding> Panel::findings() const {
  if (!healthy_) {
    std::vector<Finding> findings = preflight(whole_, pool_).findings;
    say_if_coarse_runs_alone_are_noisy(findings);
    return findings;
  }
  std::vector<Finding> findings = preflight(comparable_part(), {}).findings;
  std::erase_if(findings, [](const Finding& finding) { return std::ranges::count(kOfWholeRuns, finding.code) > 0; });
  add_broken_runs(whole_, findings);  // also those that are unbroken in the comparable part
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
          fmt::format("accept what can be decided: a larger accept.target than {:.3g} %", 100 * whole_.accept.target)}});
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
  // A score counts samples: one that a rounding tips over is a thousand times what healthy runs were seen to differ by.
  if (!healthy_ || !comparable || whole_.metric.higher_is_better) return;
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
