// Synthetic trainings for the verdict benchmark: shared data noise, run-to-run noise, culprits of several shapes.
// The model of the shared design "verdict", section 6. Knows nothing of the judge but its Curve.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "driver/judge/curve.hpp"

namespace bisectd::bench {

using driver::judge::Curve;
using driver::judge::Series;

/// Run-to-run noise: within a run (AR(1), 0.9) and between runs, as fractions.
struct Regime {
  std::string name;
  double step_noise = 0, offset = 0;
  double level_noise = 0;    ///< standard deviation of the final level at 1,000 points, for the tables
  bool unpaired = false;     ///< every run sees its data in another order
  bool heavy_tails = false;  ///< offsets are Student-t3 instead of normal
};

enum class Shape { constant, growing, late, spiky, transient, slow_transient };

struct Culprit {
  std::string name;
  Shape shape = Shape::constant;
  double size = 0;  ///< a fraction
  enum class Truth { good, edge, bad } truth = Truth::good;
};

inline const std::vector<Regime> kRegimes = {
    {"deterministic", 0.0002, 0.00003, 0.00006}, {"paired-low", 0.003, 0.0005, 0.0010},
    {"paired-mid", 0.006, 0.001, 0.0020},        {"paired-high", 0.010, 0.0025, 0.0038},
    {"seed-offset", 0.002, 0.003, 0.0030},       {"unpaired-data", 0.006, 0.001, 0.0025, true}};

inline const std::vector<Culprit> kCulprits = {{"none", Shape::constant, 0, Culprit::Truth::good},
                                               {"constant 0.2%", Shape::constant, 0.002, Culprit::Truth::good},
                                               {"constant 0.5%", Shape::constant, 0.005, Culprit::Truth::edge},
                                               {"constant 1%", Shape::constant, 0.01, Culprit::Truth::bad},
                                               {"constant 3%", Shape::constant, 0.03, Culprit::Truth::bad},
                                               {"growing 1%", Shape::growing, 0.01, Culprit::Truth::bad},
                                               {"growing 3%", Shape::growing, 0.03, Culprit::Truth::bad},
                                               {"spiky 1%", Shape::spiky, 0.01, Culprit::Truth::bad},
                                               {"late 3%", Shape::late, 0.03, Culprit::Truth::bad},
                                               {"transient 3%", Shape::transient, 0.03, Culprit::Truth::good},
                                               {"slow transient 3%", Shape::slow_transient, 0.03, Culprit::Truth::good}};

class Simulator {
 public:
  Simulator(Regime regime, std::int64_t steps, std::uint64_t seed)
      : regime_(std::move(regime)), steps_(steps), random_(seed), data_(data_noise()) {}

  /// One run with these culprits active.
  Curve run(const std::vector<Culprit>& culprits) {
    const auto n = static_cast<double>(steps_);
    const auto own = regime_.unpaired ? data_noise() : data_;
    const double offset = regime_.offset * (regime_.heavy_tails ? student_t3() : normal_(random_));
    double wander = normal_(random_), spike = 0;
    Series series;
    series.reserve(static_cast<std::size_t>(steps_));
    for (std::int64_t t = 1; t <= steps_; ++t) {
      const double at = static_cast<double>(t) / n;
      wander = 0.9 * wander + std::sqrt(1 - 0.81) * normal_(random_);
      const double apart = std::min(1.0, at / 0.1);  // runs separate over the first tenth
      double change = apart * (regime_.step_noise * wander + offset);
      for (const Culprit& culprit : culprits) change += bias(culprit, at, spike);
      const double base = 1.8 + 9 * std::pow(static_cast<double>(t) + 8, -0.45);
      series.push_back({t, base * (1 + own[static_cast<std::size_t>(t - 1)]) * (1 + change)});
    }
    Curve curve;
    curve.series["loss"] = std::move(series);
    return curve;
  }

  std::mt19937_64& random() { return random_; }

 private:
  std::vector<double> data_noise() {
    std::vector<double> noise(static_cast<std::size_t>(steps_));
    double state = normal_(random_);
    for (double& value : noise) {
      state = 0.2 * state + std::sqrt(1 - 0.04) * normal_(random_);
      value = 0.02 * state;
    }
    return noise;
  }

  double student_t3() {
    double squares = 0;
    for (int i = 0; i < 3; ++i) squares += std::pow(normal_(random_), 2);
    return normal_(random_) / std::sqrt(squares / 3) / std::sqrt(3.0);  // scaled to variance 1
  }

  double bias(const Culprit& culprit, double at, double& spike) {
    switch (culprit.shape) {
      case Shape::constant: return culprit.size;
      case Shape::growing: return culprit.size * at;
      case Shape::late: return at > 0.7 ? culprit.size : 0;
      case Shape::transient: return culprit.size * std::exp(-at / 0.05);
      case Shape::slow_transient: return culprit.size * std::exp(-at / 0.25);
      case Shape::spiky:  // 2 % of the steps jump by 25 size, each decaying by half per step: mean = size
        spike = spike / 2 + (uniform_(random_) < 0.02 ? 25 * culprit.size : 0);
        return spike;
    }
    return 0;
  }

  Regime regime_;
  std::int64_t steps_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::vector<double> data_;
};

}  // namespace bisectd::bench
