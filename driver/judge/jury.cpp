// See jury.hpp.
#include "driver/judge/jury.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "driver/judge/grey_zone.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

/// The subject as it is and a proof may take so many times the attempts of a trial: they are few, and the answer stands on
/// them.
constexpr int kDecisiveRepeats = 4;

/// Of the failing subject's difference, up to which a trial's is the same. Trials with the same causes come within 0.005
/// (planted_devices.py, flag, seed 9101).
constexpr double kTheSame = 0.1;

configs::Acceptance decisive(const configs::Acceptance& usual) {
  configs::Acceptance accept = usual;
  if (accept.max_repeats > 1) accept.max_repeats *= kDecisiveRepeats;  // who says 1 wants nothing repeated
  return accept;
}

configs::Acceptance proof_of(const configs::Acceptance& accept) { return decisive(strict(accept)); }

int rank(const Judgement& judgement) {
  switch (judgement.verdict) {
    case Verdict::fail: return 0;
    case Verdict::unresolved: return 1;
    case Verdict::inconclusive: return 2;
    case Verdict::pass: return 3;
  }
  return 3;
}

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "passes";
    case Verdict::fail: return "fails";
    case Verdict::inconclusive: return "is inconclusive";
    case Verdict::unresolved: return "is unresolved";
  }
  return {};
}

/// The fewest attempts that are likely to decide, at most one more than `accept` allows.
int attempts_to_decide(const configs::Acceptance& accept, const Reference& reference, const NoisePool& pool) {
  const Variance noise = variance_of(known_spread(reference, pool));
  int attempts = 1;
  if (noise.dof == 0) return attempts;
  while (attempts <= accept.max_repeats &&
         std::sqrt(noise.value) > largest_noise(accept, noise.dof, reference.distinct(), attempts))
    ++attempts;
  return attempts;
}

}  // namespace

AttemptWatch::AttemptWatch(std::span<const Panel> panels) {
  for (const Panel& panel : panels) watched_.push_back({&panel, panel.early_stop()});
}

std::optional<Judgement> AttemptWatch::look(const Curve& so_far) {
  std::optional<Judgement> certain;
  for (Watched& watched : watched_) {
    auto judgement = watched.stop.look(so_far);
    if (!judgement || certain) continue;
    if (&watched != &watched_.front()) {
      judgement->reason = judgement->metric + ":" + judgement->reason;
      judgement->decided_by = {judgement->metric, std::exchange(judgement->delta, std::nullopt)};
      judgement->standard_error.reset();
    }
    certain = std::move(judgement);
  }
  return certain;
}

tl::expected<Jury, Problem> Jury::seat(const configs::Acceptance& accept, std::span<const MetricRule> metrics,
                                       std::span<const Curve> references) {
  std::vector<Panel> panels;
  for (const MetricRule& metric : metrics) {
    auto panel = Panel::seat(accept, metric, references);
    if (!panel) return tl::unexpected(std::move(panel.error()));
    panels.push_back(*std::move(panel));
  }
  return Jury(std::move(panels));
}

Judgement Jury::judge(std::span<const Curve> attempts) const {
  if (contrast_) return contrast_->judge(attempts);
  Judgement judgement = judge_whole(attempts, [](const configs::Acceptance& accept) { return accept; });
  decide_by_failing(judgement, attempts.front());
  return judgement;
}

void Jury::compare_with_failing(const Curve& as_is, double p_bad) { failing_ = Failing{difference(first(), as_is), p_bad}; }

void Jury::decide_by_failing(Judgement& judgement, const Curve& run) const {
  if (judgement.verdict != Verdict::inconclusive || !failing_) return;
  const Difference here = difference(first(), run);
  const Difference& failing = failing_->difference;
  if (here.places != failing.places) return;
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < here.values.size(); ++i) {
    apart += std::pow(here.values[i] - failing.values[i], 2);
    size += std::pow(failing.values[i], 2);
  }
  if (apart > kTheSame * kTheSame * size) return;
  judgement.verdict = Verdict::fail;
  judgement.reason = "level";
  judgement.p_bad = failing_->p_bad;
  judgement.repeat_helps = false;
  judgement.text = fmt::format("{} does at every step what it does in the subject as it is, which fails", judgement.metric);
}

Judgement Jury::judge_as_is(std::span<const Curve> attempts) const {
  const Judgement judgement = judge_whole(attempts, decisive);
  // Where a contrast judges, the reference still says whether the run can be compared at all.
  return contrast_ && judgement.verdict != Verdict::unresolved ? contrast_->judge(attempts) : judgement;
}

Judgement Jury::judge_whole(std::span<const Curve> attempts,
                            configs::Acceptance (*accept_of)(const configs::Acceptance&)) const {
  std::vector<Judgement> by_metric;
  for (const Panel& panel : panels_) {
    Judgement& judgement = by_metric.emplace_back(panel.judge(attempts, accept_of(panel.whole().accept)));
    judgement.strict = panel.judge(attempts, proof_of(panel.whole().accept)).verdict == judgement.verdict;
  }
  return overall(by_metric);
}

Judgement Jury::judge_proof(std::span<const Curve> attempts) const {
  if (contrast_) return contrast_->judge(attempts);
  std::vector<Judgement> by_metric;
  for (const Panel& panel : panels_) {
    const configs::Acceptance proof = proof_of(panel.whole().accept);
    Judgement strictly = panel.judge(attempts, proof);
    strictly.strict = true;
    const bool in_reach = panel.by_chance() && attempts_to_decide(proof, panel.whole(), panel.pool()) <= proof.max_repeats;
    if (strictly.verdict != Verdict::inconclusive || (strictly.repeat_helps && in_reach)) {
      by_metric.push_back(std::move(strictly));
      continue;
    }
    Judgement& judgement = by_metric.emplace_back(panel.judge(attempts));
    judgement.notes.push_back(fmt::format(
        "the noise does not let {} be proved at {:.3g} % itself: a pass is certain below {:.3g} %, a fail above {:.3g} %",
        panel.whole().metric.name, 100 * proof.target, 100 * proof.target * panel.whole().accept.grey,
        100 * proof.target / panel.whole().accept.grey));
  }
  Judgement judgement = overall(by_metric);
  decide_by_failing(judgement, attempts.front());
  return judgement;
}

int Jury::decisive_attempts() const { return decisive(first().accept).max_repeats; }

int Jury::likely_proof_attempts() const {
  int most = 1;
  for (const Panel& panel : panels_) {
    const configs::Acceptance proof = proof_of(panel.whole().accept);
    if (!panel.by_chance()) continue;  // repeats of one device share its rounding
    const int attempts = attempts_to_decide(proof, panel.whole(), panel.pool());
    if (attempts <= proof.max_repeats) most = std::max(most, attempts);  // else it falls back anyway
  }
  return most;
}

AttemptWatch Jury::watch() const { return AttemptWatch(contrast_ ? std::span<const Panel>() : panels_); }

void Jury::learn(const Judgement& judgement) {
  for (Panel& panel : panels_)
    if (const auto spread = judgement.spreads.find(panel.whole().metric.name); spread != judgement.spreads.end())
      panel.learn(spread->second);
}

void Jury::learn_identical(int repeats) {
  for (Panel& panel : panels_) panel.learn_identical(repeats);
}

void Jury::learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt) {
  for (Panel& panel : panels_) panel.learn_subject(repeats, learnt);
}

bool Jury::repeats_show_nothing() const {
  return std::ranges::all_of(panels_, [](const Panel& panel) {
    return !panel.by_chance() && (panel.whole().apart.known() || panel.pool().deterministic());
  });
}

void Jury::set_signature_steps(std::size_t count) {
  for (Panel& panel : panels_) panel.set_signature_steps(count);
}

std::vector<double> Jury::signature(const Curve& run) const {
  std::vector<double> all;
  for (const Panel& panel : panels_) {
    if (!panel.signature_until()) continue;
    const std::vector<double> one = panel.signature(run);
    if (one.empty()) return {};
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::map<std::string, std::int64_t> Jury::signature_steps() const {
  std::map<std::string, std::int64_t> steps;
  for (const Panel& panel : panels_)
    if (const auto until = panel.signature_until()) steps[panel.whole().metric.name] = *until;
  return steps;
}

std::map<std::string, std::int64_t> Jury::last_steps() const {
  std::map<std::string, std::int64_t> steps;
  for (const Panel& panel : panels_) steps[panel.whole().metric.name] = panel.whole().last_step();
  return steps;
}

std::vector<Finding> Jury::findings() const {
  std::vector<Finding> findings;
  for (const Panel& panel : panels_)
    for (Finding& finding : panel.findings()) {
      if (panels_.size() > 1) finding.text = panel.whole().metric.name + ": " + finding.text;
      findings.push_back(std::move(finding));
    }
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return finding.error; });
  return findings;
}

Judgement overall(std::span<const Judgement> by_metric) {
  const Judgement& first = by_metric.front();
  const auto decides = std::min_element(by_metric.begin(), by_metric.end(),
                                        [](const Judgement& a, const Judgement& b) { return rank(a) < rank(b); });
  Judgement result = *decides;
  result.delta = first.delta;
  result.standard_error = first.standard_error;
  result.window = first.window;
  if (decides != by_metric.begin()) {
    result.reason = decides->metric + ":" + decides->reason;
    result.decided_by = {decides->metric, decides->delta};
  }
  for (auto judgement = by_metric.begin(); judgement != by_metric.end(); ++judgement) {
    result.p_bad = std::max(result.p_bad, judgement->p_bad);
    result.repeat_helps = result.repeat_helps || (result.verdict == Verdict::inconclusive && judgement->repeat_helps);
    if (result.verdict == Verdict::pass) result.strict = result.strict && judgement->strict;
    result.spreads.insert(judgement->spreads.begin(), judgement->spreads.end());
    if (judgement == decides) continue;
    result.notes.push_back(
        judgement->delta
            ? fmt::format("{} {}: {:+.3g} %", judgement->metric, word(judgement->verdict), 100 * *judgement->delta)
            : fmt::format("{} {}: {}", judgement->metric, word(judgement->verdict), judgement->text));
    for (const std::string& note : judgement->notes)
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) result.notes.push_back(note);
  }
  return result;
}

}  // namespace bisectd::driver::judge
