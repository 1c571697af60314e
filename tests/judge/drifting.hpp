// A training whose healthy runs drift apart: rounding grows from the first step on until it saturates.
#pragma once

#include <functional>
#include <vector>

#include "driver/judge/panel.hpp"
#include "tests/judge/curves.hpp"

namespace bisectd::tests {

inline constexpr std::int64_t kSteps = 200;

/// How far a run is apart that rounds at `size`: it grows by a tenth each step, up to 2 %.
inline double drift(double size, std::int64_t step) {
  const double grown = size * std::exp(0.1 * static_cast<double>(step - 1));
  return grown / (1 + grown / 0.02);
}

/// A healthy run, to its own side, times whatever is wrong with it.
inline Curve run(
    double size, double side, const std::function<double(std::int64_t)>& fault = [](std::int64_t) { return 1.0; }) {
  return curve(kSteps, [=](std::int64_t step) { return plain_loss(step) * (1 + side * drift(size, step)) * fault(step); });
}

inline std::vector<Curve> references() {
  std::vector<Curve> runs = {run(1e-7, 0.2),  run(1e-7, -1.3), run(1e-7, 0.9),  run(1e-7, 0.4),
                             run(1e-7, -0.7), run(4e-4, 1.0),  run(4e-4, -0.8), run(4e-4, 0.5)};
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  return runs;
}

inline driver::judge::Panel panel_of(std::vector<Curve> runs) {
  return driver::judge::Panel::seat({}, {"loss", false}, std::move(runs)).value();
}

inline driver::judge::Judgement judged(const driver::judge::Panel& panel, const Curve& candidate) {
  return panel.judge(std::vector<Curve>{candidate});
}

inline std::function<double(std::int64_t)> constant(double percent) {
  return [=](std::int64_t) { return 1 + percent / 100; };
}

}  // namespace bisectd::tests
