// See preflight.hpp.
#include "driver/judge/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include "driver/judge/grey_zone.hpp"

namespace bisectd::driver::judge {

namespace {

constexpr double kPrecisionShare = 0.25;  ///< of the target, that printing may move the mean of the end by
constexpr double kRepeatedShare = 0.2;
constexpr std::size_t kFewPoints = 10;
constexpr double kOutlierSigma = 6;
constexpr double kOutlierTargets = 0.1;    ///< closer than this share of the target, no run is worth a word
constexpr double kNoiseConfidence = 0.99;  ///< that runs are too noisy, before the search is refused

std::span<const double> window_of(const Reference& reference, const std::vector<double>& values) {
  return std::span(values).subspan(reference.window.from, reference.window.size());
}

void precision(const Reference& reference, std::vector<Finding>& findings) {
  const auto scale = window_of(reference, reference.scale);
  const double smallest = *std::min_element(scale.begin(), scale.end());
  const double target = reference.accept.target;
  for (const Track& run : reference.runs) {
    const double unit = printed_unit(run.values, reference.mean.back());
    const double share = printing_error(window_of(reference, run.values), unit) / smallest;
    if (share > kPrecisionShare * target) {
      findings.push_back(
          {"precision",
           false,
           fmt::format("{} is printed in steps of {:g}, which moves its mean by up to {:.2g} %: too coarse for a "
                       "target of {:.3g} %",
                       reference.metric.name, unit, 100 * share, 100 * target),
           {"print more digits", "read the metric from a file that has them (tensorboard, jsonl)"}});
      return;
    }
    const double moves = std::abs(run.values.front() - run.values.back()) / static_cast<double>(run.size());
    const double repeated = 1 - static_cast<double>(changes(run.values)) / static_cast<double>(run.size() - 1);
    if (run.size() >= 2 * kFewPoints && repeated > kRepeatedShare && unit < moves) {
      findings.push_back({"smoothed",
                          false,
                          fmt::format("{:.0f} % of the logged values repeat the one before: the log seems to print a "
                                      "running median, which hides spikes and single NaNs",
                                      100 * repeated),
                          {"switch the smoothing of the log off (PaddleOCR: Global.log_smooth_window=1)"}});
      return;
    }
  }
}

void few_points(const Reference& reference, std::vector<Finding>& findings) {
  const std::size_t points = window_of(reference, reference.mean).size();
  if (points >= kFewPoints || reference.metric.higher_is_better) return;
  findings.push_back({"few-points",
                      false,
                      fmt::format("only {} logged value(s) of {} fall into the final window", points, reference.metric.name),
                      {"log more often", "train for more steps"}});
}

void repeats(const Reference& reference, std::vector<Finding>& findings) {
  if (reference.lost > 0)
    findings.push_back({"lost-perturbation",
                        false,
                        fmt::format("{} reference run(s) were started with a perturbation that does not show in their first "
                                    "values: a checkpoint may have been loaded over it, or the log has too few digits",
                                    reference.lost),
                        {"perturb the parameters after the checkpoint is loaded", "print more digits"}});
  if (reference.apart.known()) return;
  if (reference.cause == Cause::chance && reference.distinct() == 2)
    findings.push_back({"two-references",
                        false,
                        "two references measure the noise badly: nearly every trial will need repeats",
                        {"run the reference a third time"}});
  else if (reference.cause != Cause::chance)
    findings.push_back({"no-moved-runs",
                        false,
                        "no run of the reference shows what rounding grows to in this training: a fault is seen only where "
                        "it stands out from the wobble of the run itself",
                        {"add two runs whose initial parameters are moved by a thousandth (`perturb`)"}});
}

/// A reference far from the others is said, but never dropped: dropping it would shrink the noise and make failures.
void outlier(const Reference& reference, std::vector<Finding>& findings) {
  if (reference.distinct() < 4) return;
  const std::vector<double> levels = levels_in(reference, reference.window);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::vector<double> others = levels;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Spread spread = spread_of(others);
    const double mean = std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
    const double sigma = std::sqrt(spread.last / spread.dof);
    if (std::abs(levels[i] - mean) <= std::max(kOutlierSigma * sigma, kOutlierTargets * reference.accept.target)) continue;
    findings.push_back({"outlier",
                        false,
                        fmt::format("reference run {} ends {:.2g} % away from the others; it stays in and widens the noise",
                                    i + 1, 100 * (levels[i] - mean)),
                        {"look at that run", "repeat it"}});
  }
}

void noise(const Reference& reference, const NoisePool& pool, Preflight& result) {
  const auto [variance, dof] = variance_of(known_spread(reference, pool));
  if (dof == 0) return;
  result.noise = std::sqrt(variance);
  if (!by_chance(reference)) return;  // rounding: repeats decide nothing
  const int most = reference.accept.max_repeats;
  while (result.attempts_needed <= most &&
         result.noise > largest_noise(reference.accept, dof, reference.distinct(), result.attempts_needed)) {
    ++result.attempts_needed;
  }
  if (result.attempts_needed <= most) return;
  // A few references may look noisier than they are. Only what is too noisy beyond doubt stops a run: else verdicts
  // weigh what is known of the noise, and repeats in the search make it better known.
  const boost::math::chi_squared squares(dof);
  const double at_least = result.noise * std::sqrt(dof / boost::math::quantile(squares, kNoiseConfidence));
  result.findings.push_back(
      {"too-noisy",
       at_least > largest_noise(reference.accept, dof, reference.distinct(), most),
       fmt::format("runs of one and the same training differ by {:.2g} % (standard deviation); with {} reference runs and "
                   "{} attempts a target of {:.3g} % can be decided up to {:.2g} %",
                   100 * result.noise, reference.distinct(), most, 100 * reference.accept.target,
                   100 * largest_noise(reference.accept, dof, reference.distinct(), most)),
       {"fix the seed and the order of the data on both sides, and use deterministic kernels",
        "train longer, or judge a larger share of the run (accept: window)", "run more references (reference: repeats)",
        fmt::format("accept what the noise allows: a target of {:.2g} %", 200 * result.noise)}});
}

/// Reference runs that are left out, went on from a checkpoint, or diverged.
void broken_runs(const Reference& reference, std::vector<Finding>& findings) {
  std::size_t all = reference.given;
  for (const auto& [why, runs] : reference.left_out) all += runs;
  for (const auto& [why, runs] : reference.left_out)
    findings.push_back({"left-out",
                        false,
                        fmt::format("{} of {} reference runs {}, and {} left out", runs, all, why, runs == 1 ? "is" : "are"),
                        {"look at what that run logged", "repeat the reference"}});
  if (reference.resumed > 0)
    findings.push_back({"resumed",
                        false,
                        fmt::format("{} of {} reference runs repeated a step, as after a restart: the value that was logged "
                                    "last counts",
                                    reference.resumed, all),
                        {"let every run begin at its first step, in a folder of its own"}});
  if (reference.diverged > 0)
    findings.push_back(
        {"diverged",
         false,
         fmt::format(
             "reference runs diverge ({} hold NaN or infinity): a healthy run may, too, so none is condemned for that",
             reference.diverged),
         {"make the reference stable first (learning rate, loss scale, gradient clipping)"}});
}

}  // namespace

Preflight preflight(const Reference& reference, const NoisePool& pool) {
  Preflight result;
  noise(reference, pool, result);
  precision(reference, result.findings);
  few_points(reference, result.findings);
  repeats(reference, result.findings);
  outlier(reference, result.findings);
  broken_runs(reference, result.findings);
  std::stable_partition(result.findings.begin(), result.findings.end(),
                        [](const Finding& finding) { return finding.error; });
  return result;
}

namespace {

constexpr int kAllDigits = 15;  ///< a value with more significant digits was printed in full

struct Digits {
  int significant = 0;
  int decimals = 0;  ///< after the point, of the value written without an exponent
};

Digits digits_of(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
  const std::string_view whole(text, static_cast<std::size_t>(end - text));
  const std::size_t e = whole.find('e');
  int exponent = 0;
  const std::size_t number = e + (whole[e + 1] == '+' ? 2 : 1);
  std::from_chars(whole.data() + number, whole.data() + whole.size(), exponent);
  const int significant = e > 1 ? static_cast<int>(e) - 1 : 1;  // all of the mantissa but its point
  return {significant, std::max(0, significant - 1 - exponent)};
}

}  // namespace

double printed_unit(std::span<const double> values, double near) {
  Digits most;
  for (double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    const Digits digits = digits_of(value);
    most.significant = std::max(most.significant, digits.significant);
    most.decimals = std::max(most.decimals, digits.decimals);
  }
  if (most.significant > kAllDigits || most.significant == 0 || near == 0) return 0;
  const double exponent = std::floor(std::log10(std::abs(near)));
  return std::max(std::pow(10.0, -most.decimals), std::pow(10.0, exponent + 1 - most.significant));
}

double printing_error(std::span<const double> values, double unit) {
  constexpr double kQuarter = 0.25;
  return kQuarter * unit / std::sqrt(1 + static_cast<double>(changes(values)));
}

std::size_t changes(std::span<const double> values) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < values.size(); ++i) count += values[i] != values[i - 1];
  return count;
}

}  // namespace bisectd::driver::judge
