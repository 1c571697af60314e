// A training of a net so small that thousands of runs are cheap, on devices that round each operator's output as the
// stand-in of examples/paddle does. Rounding grows in it as in the recogniser. Knows nothing of the judge but its Curve.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "driver/judge/curve.hpp"

namespace bisectd::bench {

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline double unit(std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; }

enum class Op { linear, linear_grad, batch_norm, batch_norm_grad, gelu, gelu_grad, loss_grad, step, count };

struct Device {
  std::uint64_t make = 1;
  double size = 3e-6;   ///< root mean square, over the operators, of the relative rounding
  double products = 0;  ///< of linear and linear_grad; 0: as the others
  Op wrong = Op::count;
  double relative = 0;  ///< by how much the wrong operator's output is too large
};

/// What one experiment trains; a seed draws it.
struct Training {
  std::uint64_t seed = 0;
  std::int64_t steps = 200;
  std::size_t width = 24;
  double rate = 0.2;

  Training(std::uint64_t number, std::int64_t length) : seed(mix(number)), steps(length) {
    width = 12 + seed % 9;
    rate = 0.2 * std::exp2(unit(mix(seed)));
  }
};

class Run {
 public:
  Run(const Training& training, const Device& device, int perturbed)
      : training_(training), device_(device), data_(training.seed) {
    std::mt19937_64 random(mix(training.seed + 1)), kick(mix(training.seed + 1000 + static_cast<std::uint64_t>(perturbed)));
    std::normal_distribution<double> normal;
    for (auto& prototype : prototypes_)
      for (double& x : prototype) x = normal(random);
    sizes_.fill(training.width);
    sizes_.front() = kInputs;
    sizes_.back() = kClasses;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      Matrix& weights = weights_[layer];
      weights.resize(sizes_[layer] * sizes_[layer + 1]);
      const double rms = 1 / std::sqrt(static_cast<double>(sizes_[layer]));
      for (double& w : weights) w = rms * normal(random);
      const double moved = perturbed == 0 ? 0 : 0x1p-10;
      for (double& w : weights) w += moved * rms * normal(kick);
      first_[layer].assign(weights.size(), 0);
      second_[layer].assign(weights.size(), 0);
    }
    curve_.perturbed = perturbed;
  }

  driver::judge::Curve curve() {
    for (std::int64_t step = 1; step <= training_.steps; ++step) curve_.series["loss"].push_back({step, one_step(step)});
    return curve_;
  }

 private:
  using Matrix = std::vector<double>;
  static constexpr std::size_t kBatch = 16, kInputs = 12, kClasses = 8, kLayers = 6;
  static constexpr double kDecades = 3, kCoarsest = 10.0 / 3, kBiasedShare = 0.25;  // as in standin_npu/rounding.cc

  /// What the device makes of an operator's output: rounded, relative to the values' root mean square where they are
  /// smaller, and wrong.
  void compute(Op op, Matrix& values) const {
    const bool product = op == Op::linear || op == Op::linear_grad;
    const std::uint64_t key = mix(mix(device_.make) ^ mix(static_cast<std::uint64_t>(op) + 77));
    const double size = (product && device_.products > 0 ? device_.products : device_.size) * kCoarsest *
                        std::pow(10, -kDecades * unit(mix(key + 1)));
    const double bias = unit(mix(key + 2)) < kBiasedShare ? (mix(key + 3) & 1 ? 1 : -1) : 0;
    const double rms = std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
                                 static_cast<double>(values.size()));
    const double factor = op == device_.wrong ? 1 + device_.relative : 1;
    std::uint64_t place = 0;
    for (double& x : values) {
      const double u = 2 * unit(mix(std::bit_cast<std::uint64_t>(x) ^ (key + ++place))) - 1;
      const double error = size * (bias == 0 ? u : (bias + u) / 2);
      x = factor * (x + error * std::copysign(std::max(std::abs(x), rms), x));
    }
  }

  /// a (kBatch rows) times w (`in` x `out`).
  Matrix linear(const Matrix& a, const Matrix& w, std::size_t in, std::size_t out) const {
    Matrix y(kBatch * out, 0.0);
    for (std::size_t b = 0; b < kBatch; ++b)
      for (std::size_t i = 0; i < in; ++i)
        for (std::size_t o = 0; o < out; ++o) y[b * out + o] += a[b * in + i] * w[i * out + o];
    compute(Op::linear, y);
    return y;
  }

  /// Gradients by the weights, and by the input.
  std::pair<Matrix, Matrix> linear_grad(const Matrix& a, const Matrix& w, const Matrix& g, std::size_t in,
                                        std::size_t out) const {
    Matrix by_weight(in * out, 0.0), by_input(kBatch * in, 0.0);
    for (std::size_t b = 0; b < kBatch; ++b)
      for (std::size_t i = 0; i < in; ++i)
        for (std::size_t o = 0; o < out; ++o) {
          by_weight[i * out + o] += a[b * in + i] * g[b * out + o];
          by_input[b * in + i] += g[b * out + o] * w[i * out + o];
        }
    compute(Op::linear_grad, by_weight);
    compute(Op::linear_grad, by_input);
    return {by_weight, by_input};
  }

  struct Normed {
    Matrix y, inverse;
  };

  Normed batch_norm(const Matrix& x, std::size_t width) const {
    Normed result{Matrix(x.size()), Matrix(width)};
    for (std::size_t o = 0; o < width; ++o) {
      double mean = 0, squares = 0;
      for (std::size_t b = 0; b < kBatch; ++b) mean += x[b * width + o] / kBatch;
      for (std::size_t b = 0; b < kBatch; ++b) squares += std::pow(x[b * width + o] - mean, 2) / kBatch;
      result.inverse[o] = 1 / std::sqrt(squares + 1e-5);
      for (std::size_t b = 0; b < kBatch; ++b) result.y[b * width + o] = (x[b * width + o] - mean) * result.inverse[o];
    }
    compute(Op::batch_norm, result.y);
    return result;
  }

  Matrix batch_norm_grad(const Normed& normed, const Matrix& g, std::size_t width) const {
    Matrix result(g.size());
    for (std::size_t o = 0; o < width; ++o) {
      double mean = 0, product = 0;
      for (std::size_t b = 0; b < kBatch; ++b) {
        mean += g[b * width + o] / kBatch;
        product += g[b * width + o] * normed.y[b * width + o] / kBatch;
      }
      for (std::size_t b = 0; b < kBatch; ++b)
        result[b * width + o] = normed.inverse[o] * (g[b * width + o] - mean - normed.y[b * width + o] * product);
    }
    compute(Op::batch_norm_grad, result);
    return result;
  }

  Matrix gelu(const Matrix& x) const {
    Matrix y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * std::erfc(-x[i] * std::sqrt(0.5)) / 2;
    compute(Op::gelu, y);
    return y;
  }

  Matrix gelu_grad(const Matrix& x, const Matrix& g) const {
    Matrix y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = g[i] *
             (std::erfc(-x[i] * std::sqrt(0.5)) / 2 + x[i] * std::exp(-x[i] * x[i] / 2) / std::sqrt(2 * std::numbers::pi));
    compute(Op::gelu_grad, y);
    return y;
  }

  /// Adam, its rate growing over 20 steps and falling along a cosine after.
  void update(std::size_t layer, const Matrix& gradient, std::int64_t step) {
    const double at = static_cast<double>(step), whole = static_cast<double>(training_.steps);
    const double rate = training_.rate * std::min(1.0, at / 20) * (1 + std::cos(std::numbers::pi * at / whole)) / 2;
    const double first_bias = 1 - std::pow(0.9, at), second_bias = 1 - std::pow(0.999, at);
    Matrix change(gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      first_[layer][i] += 0.1 * (gradient[i] - first_[layer][i]);
      second_[layer][i] += 0.001 * (gradient[i] * gradient[i] - second_[layer][i]);
      change[i] = rate * first_[layer][i] / first_bias / (std::sqrt(second_[layer][i] / second_bias) + 1e-8);
    }
    compute(Op::step, change);
    for (std::size_t i = 0; i < change.size(); ++i) weights_[layer][i] -= change[i];
  }

  double one_step(std::int64_t step) {
    std::normal_distribution<double> normal;
    Matrix x(kBatch * kInputs);
    std::array<std::size_t, kBatch> labels{};
    for (std::size_t b = 0; b < kBatch; ++b) {
      labels[b] = data_() % kClasses;
      for (std::size_t i = 0; i < kInputs; ++i) x[b * kInputs + i] = prototypes_[labels[b]][i] + 1.2 * normal(data_);
    }
    std::array<Matrix, kLayers> given;  // to each linear
    std::array<Normed, kLayers> normed;
    Matrix y = x;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      given[layer] = y;
      y = linear(y, weights_[layer], sizes_[layer], sizes_[layer + 1]);
      if (layer + 1 == kLayers) break;
      normed[layer] = batch_norm(y, sizes_[layer + 1]);
      y = gelu(normed[layer].y);
    }
    double loss = 0;
    Matrix g(kBatch * kClasses);
    for (std::size_t b = 0; b < kBatch; ++b) {
      double sum = 0;
      for (std::size_t c = 0; c < kClasses; ++c) sum += std::exp(y[b * kClasses + c]);
      for (std::size_t c = 0; c < kClasses; ++c)
        g[b * kClasses + c] = (std::exp(y[b * kClasses + c]) / sum - (c == labels[b] ? 1 : 0)) / kBatch;
      loss += (std::log(sum) - y[b * kClasses + labels[b]]) / kBatch;
    }
    compute(Op::loss_grad, g);
    for (std::size_t layer = kLayers; layer-- > 0;) {
      auto [by_weight, by_input] = linear_grad(given[layer], weights_[layer], g, sizes_[layer], sizes_[layer + 1]);
      if (layer > 0) g = batch_norm_grad(normed[layer - 1], gelu_grad(normed[layer - 1].y, by_input), sizes_[layer]);
      update(layer, by_weight, step);
    }
    return static_cast<double>(static_cast<float>(loss));
  }

  Training training_;
  Device device_;
  std::mt19937_64 data_;
  std::array<std::array<double, kInputs>, kClasses> prototypes_{};
  std::array<std::size_t, kLayers + 1> sizes_{};
  std::array<Matrix, kLayers> weights_, first_, second_;
  driver::judge::Curve curve_;
};

inline driver::judge::Curve trained(const Training& training, const Device& device, int perturbed = 0) {
  return Run(training, device, perturbed).curve();
}

}  // namespace bisectd::bench
