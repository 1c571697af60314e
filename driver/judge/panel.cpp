#include "driver/judge/panel.hpp"

#include <algorithm>
#include <cmath>

#include "driver/judge/level.hpp"
#include "driver/judge/numbering.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

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
                                         std::vector<Curve> references) {
  auto whole = prepare_reference(accept, references, metric);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  return Panel(*std::move(whole), std::move(references));
}

void Panel::learn_subject(std::span<const Curve> repeats, AlreadyLearnt learnt) {
  const auto own = prepare_reference(whole_.accept, repeats, whole_.metric);
  if (!own) return;
  if (whole_.cause != Cause::chance && (own->cause == Cause::chance || begin_far_apart(whole_, *own))) {
    whole_.subject_varies = true;
    if (shortened_) shortened_->subject_varies = true;
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
  double unit = std::max(kLeastUnit, whole_.digit / 2);
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

std::optional<std::int64_t> Panel::needed_steps(const Curve& known_bad) const {
  if (judge(std::span(&known_bad, 1)).verdict == Verdict::pass) return std::nullopt;
  return learn_horizon(whole_, pool_, known_bad);
}

void Panel::set_horizon(std::int64_t until) {
  shortened_.reset();
  auto shortened = prepare_reference(whole_.accept, references_, whole_.metric, until);
  if (!shortened) return;
  shortened_ = *std::move(shortened);
  shortened_->subject_varies = whole_.subject_varies;
  if (!shortened_->apart.known()) shortened_->apart = whole_.apart;
}

}  // namespace bisectd::driver::judge
