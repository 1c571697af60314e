#include "driver/judge/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "driver/judge/difference.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

namespace {

/// Points that are compared with both numberings: later ones are apart by rounding, and where a loss falls slowly, one step
/// makes no difference.
constexpr std::size_t kCompared = 20;
constexpr double kFarBetter = 0.25;  ///< of the size of the differences

/// What the numbers of this run are greater by: 0 if its steps begin where those of the reference do, or lie otherwise.
std::int64_t shift_of(const Reference& reference, const Track& track) {
  if (track.empty() || stride(track.steps) != reference.stride) return 0;
  return track.steps.front() - reference.steps.front();
}

/// A run is cut where the steps of the experiment end, so that one that counts from a greater number may lack its end.
bool ends_as_numbered(const Reference& reference, const Track& track, std::int64_t shift) {
  return track.steps.back() - reference.last_step() == shift;
}

/// Middle size of the first differences.
double first_size(const Reference& reference, const Curve& curve) {
  std::vector<double> sizes = difference(reference, curve).values;
  sizes.resize(std::min(sizes.size(), kCompared));
  for (double& size : sizes) size = std::abs(size);
  return sizes.empty() ? 0 : quantile(sizes, 0.5);
}

/// Where the attempt has the steps of the reference, all shifted by one number, a note says so. If it agrees far better with
/// them shifted back, wherever it ends, the difference is one of numbering: a fail becomes inconclusive ("misnumbered").
void doubt_numbering(const Reference& reference, std::span<const Curve> attempts, Judgement& judgement) {
  if (judgement.verdict == strategies::Verdict::pass || attempts.empty()) return;
  const auto logged = attempts.front().series.find(reference.metric.name);
  if (logged == attempts.front().series.end() || !sane_steps(logged->second)) return;
  const Track track = tidy(logged->second);
  const std::int64_t shift = shift_of(reference, track);
  if (shift == 0) return;
  std::string text = fmt::format(
      "the steps run from {} to {} here, from {} to {} in the reference: if only the numbering differs, every step was "
      "compared with another one",
      track.steps.front(), track.steps.back(), reference.steps.front(), reference.last_step());
  Curve renumbered = attempts.front();
  for (Point& point : renumbered.series[reference.metric.name]) point.step -= shift;
  if (judgement.verdict != strategies::Verdict::fail ||
      first_size(reference, renumbered) > kFarBetter * first_size(reference, attempts.front())) {
    if (!ends_as_numbered(reference, track, shift)) return;
    if (judgement.verdict == strategies::Verdict::inconclusive) {
      judgement.reason = "misnumbered";
      judgement.text = text + "; write the logs with the same first step";
    } else {
      judgement.notes.push_back(std::move(text));
    }
    return;
  }
  judgement.verdict = strategies::Verdict::inconclusive;
  judgement.reason = "misnumbered";
  judgement.text = text + "; the first ones agree far better with the same numbers: write the logs with the same first step";
  judgement.p_bad = 0.5;
  judgement.repeat_helps = false;
  judgement.first_bad_step.reset();
}

constexpr double kLeastUnit = 0x1p-24;            ///< of a signature: what a float32 can show
constexpr double kFineOfMoved = 0x1p-12;          ///< float32 rounds at 2^-22, moved runs were moved by 2^-10
constexpr std::size_t kFewestSignatureSteps = 4;  ///< backward faults show from the second step on
constexpr double kTimesMoved = 10;  ///< repeats that begin so much further apart than moved runs differ by chance

/// Repeats of the subject, moved or not, whose first values differ by more than moving explains: it varies by itself. Only
/// the first: a fault may make much of a small difference from the second step on.
bool begin_far_apart(const Reference& reference, const Reference& own) {
  const double moved = reference.apart.in({0, 1});
  return moved > 0 && std::ranges::any_of(own.residuals, [&](const std::vector<double>& run) {
           return std::abs(run.front()) > kTimesMoved * moved;
         });
}

}  // namespace

tl::expected<Panel, Problem> Panel::seat(const configs::Acceptance& accept, const MetricRule& metric,
                                         std::span<const Curve> references) {
  auto whole = prepare_reference(accept, references, metric);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  return Panel(*std::move(whole));
}

void Panel::learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt) {
  const auto own = prepare_reference(whole_.accept, repeats, whole_.metric);
  if (!own) return;
  if (whole_.cause != Cause::chance && (own->cause == Cause::chance || begin_far_apart(whole_, *own))) {
    whole_.subject_varies = true;
    if (learnt == AlreadyLearnt::yes && pool_.total.dof == 0) learn(own->level);
  }
  if (!lacks_moved_runs() || own->moved.empty()) return;
  const Difference plain = difference(whole_, repeats.front());
  std::vector<std::vector<double>> moved;
  for (const Curve& repeat : repeats.subspan(1)) {
    const Difference one = difference(whole_, repeat);
    if (repeat.perturbed.value_or(0) == 0 || one.places != plain.places || one.places.size() != whole_.steps.size())
      continue;
    std::vector<double>& apart = moved.emplace_back();
    for (std::size_t i = 0; i < one.values.size(); ++i) apart.push_back(one.values[i] - plain.values[i]);
  }
  whole_.apart = Apart(moved);
}

Judgement Panel::judge(std::span<const Curve> attempts, const configs::Acceptance& accept) const {
  Judgement judgement = judge::judge(whole_, attempts, pool_, accept);
  doubt_numbering(whole_, attempts, judgement);
  return judgement;
}

strategies::Size Panel::size_in(const Curve& attempt, const Steps& steps) const {
  const Difference run = difference(whole_, attempt);
  const auto values = values_in(run, places_between(whole_, steps.first - 1, steps.last));
  if (values.empty()) return {};
  return {mean_of(values), {}};
}

std::vector<Finding> Panel::findings() const { return preflight(whole_, pool_).findings; }

void Panel::set_signature_steps(std::size_t count) {
  units_.clear();
  // A score counts samples: one that a rounding tips over is a thousand times what healthy runs were seen to differ by.
  if (by_chance() || whole_.metric.higher_is_better) return;
  double unit = std::max(kLeastUnit, whole_.unit / whole_.scale.front() / 2);
  for (std::size_t place = 0; place < std::min(count, whole_.steps.size()); ++place) {
    // Few runs may agree at one step by luck, and what rounding grows to does not shrink.
    const auto spread = [&](std::span<const std::size_t> runs, double degrees) {
      double squares = 0;
      for (const std::size_t run : runs) squares += std::pow(whole_.residuals[run][place], 2) / degrees;
      return std::sqrt(squares);
    };
    if (whole_.plain.size() > 1) unit = std::max(unit, spread(whole_.plain, static_cast<double>(whole_.plain.size() - 1)));
    if (!whole_.moved.empty())
      unit = std::max(unit, kFineOfMoved * spread(whole_.moved, static_cast<double>(whole_.moved.size())));
    units_.push_back(unit);
  }
  if (units_.size() < kFewestSignatureSteps) units_.clear();
}

std::optional<std::int64_t> Panel::signature_until() const {
  return units_.empty() ? std::nullopt : std::optional(whole_.steps[units_.size() - 1]);
}

std::vector<double> Panel::signature(const Curve& run) const {
  if (units_.empty()) return {};
  const Difference apart = difference(whole_, run);
  std::vector<double> values;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (i >= apart.places.size() || apart.places[i] != i) return {};
    values.push_back(apart.values[i] / units_[i]);
  }
  return values;
}

}  // namespace bisectd::driver::judge
