// A made-up training. Its loss falls, and each batch moves it up or down, in all runs that see the same batches. How a
// device rounds grows from the first step on until it saturates; from then on the run is off to the one or the other side at
// each step, its own way. A fault pulls to one side.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "driver/judge/panel.hpp"
#include "tests/judge/curves.hpp"

namespace bisectd::tests {

/// What a fault makes of the loss: a factor.
using Fault = std::function<double(std::int64_t step)>;
/// Another kind of loss, made of this one.
using Shape = std::function<double(double loss, std::int64_t step)>;

inline Fault constant(double percent) {
  return [=](std::int64_t) { return 1 + percent / 100; };
}
inline Fault growing(double percent_a_step) {
  return [=](std::int64_t step) { return 1 + percent_a_step / 100 * static_cast<double>(step - 1); };
}
inline Fault between(std::int64_t first, std::int64_t last, double percent) {
  return [=](std::int64_t step) { return step >= first && step <= last ? 1 + percent / 100 : 1; };
}
inline Fault from(std::int64_t first, double percent) { return between(first, std::int64_t{1} << 40, percent); }

/// What is printed.
struct Log {
  std::int64_t mean = 1;   ///< each value is the mean of so many steps, fewer at the beginning
  std::int64_t every = 1;  ///< only every so many steps
  int decimals = -1;       ///< rounded to; -1: all
};

struct Training {
  std::int64_t steps = 240;
  double batch_noise = 0.04;
  std::uint64_t order = 1;    ///< of the data
  std::uint64_t masks = 0;    ///< dropout masks
  double mask_noise = 0;      ///< what these do
  double most_apart = 0.006;  ///< where rounding saturates
  double growth = 0.1;        ///< of rounding, for each step
  bool wobbles = true;        ///< else a run stays on its side, as a loss on a fixed set does
  Shape shape = [](double loss, std::int64_t) { return loss; };
  Log log = {};
};

struct Device {
  double rounding = 1e-6;  ///< 1e-7 (as the reference's) to 5e-4
  std::uint64_t seed = 1;  ///< which of those that round so
  Fault fault = constant(0);
};

inline double rounded(double value, int decimals) {
  const double per_unit = std::pow(10, decimals);
  return decimals < 0 ? value : std::round(value * per_unit) / per_unit;
}

inline Curve run(const Training& training, const Device& device = {}) {
  std::vector<double> losses;
  Series series;
  for (std::int64_t step = 1; step <= training.steps; ++step) {
    const double grown = device.rounding * std::exp(training.growth * static_cast<double>(step - 1));
    const double apart = grown / (1 + grown / training.most_apart);
    const double batch =
        training.batch_noise * jitter(training.order, step) + training.mask_noise * jitter(77 + training.masks, step);
    const double loss = plain_loss(step) * (1 + batch) *
                        (1 + apart * jitter(1000 + device.seed, training.wobbles ? step : -7)) * device.fault(step);
    losses.push_back(training.shape(loss, step));
    if (step % training.log.every != 0) continue;
    const std::int64_t count = std::min(training.log.mean, step);
    double sum = 0;
    for (std::int64_t back = 1; back <= count; ++back) sum += losses[losses.size() - static_cast<std::size_t>(back)];
    series.push_back({step, rounded(sum / static_cast<double>(count), training.log.decimals)});
  }
  return curve_of(std::move(series));
}

/// One plain run and two whose parameters were moved by a thousandth.
inline std::vector<Curve> references(const Training& training = {}) {
  std::vector<Curve> runs;
  for (int seed = 0; seed < 3; ++seed) {
    runs.push_back(run(training, {.rounding = seed == 0 ? 1e-7 : 1e-3, .seed = 900 + static_cast<std::uint64_t>(seed)}));
    runs.back().perturbed = seed;
  }
  return runs;
}

inline std::vector<Curve> one_reference(const Training& training = {}) { return {references(training).front()}; }

inline driver::judge::Panel panel_of(std::vector<Curve> runs, const configs::Acceptance& accept = {}) {
  return driver::judge::Panel::seat(accept, kLoss, std::move(runs)).value();
}

inline driver::judge::Judgement judged(const driver::judge::Panel& panel, const Curve& candidate) {
  return panel.judge(std::vector<Curve>{candidate});
}

inline bool has_note(const driver::judge::Judgement& judgement, const std::string& part) {
  return std::ranges::any_of(judgement.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace bisectd::tests
