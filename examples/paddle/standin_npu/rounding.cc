#include "rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hash.hpp"

// The same arithmetic twice, with wide registers where the processor has them: no fused operations, so the bits are the
// same.
#define STANDIN_VECTORS __attribute__((target_clones("avx2", "default")))

namespace standin {
namespace {

constexpr double kDecades = 3;          // between the finest and the coarsest operator
constexpr double kCoarsest = 10.0 / 3;  // over the size: with three decades, the root mean square is then the size
constexpr double kBiasedShare = 0.25;

inline std::uint32_t bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// A 32-bit finaliser (two multiplications); the low quality of its lowest bits does no harm here.
inline std::uint32_t scramble(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ (h >> 16);
}

inline float error(std::uint32_t h, float bias) {
  const float u = static_cast<float>(static_cast<std::int32_t>(h)) * 0x1p-31f;
  return bias == 0 ? u : 0.5f * (bias + u);
}

// 0 for what stays: whole numbers, infinities, and what is not a number.
inline float rounds(float x) {
  const float size = std::fabs(x);
  const float near = size < 65536.5f ? x : 0.5f;  // an integer can be made of it
  const float fraction = near - static_cast<float>(static_cast<std::int32_t>(near));
  return fraction != 0 && size < 1e38f ? 1.0f : 0.0f;
}

}  // namespace

Rounder rounder(const std::string& make, std::uint64_t seed, const std::string& op, double size) {
  const std::uint64_t key = mix(mix(make) ^ mix(seed) ^ mix(op));
  Rounder rounder;
  rounder.size = static_cast<float>(size * kCoarsest * std::pow(10, -kDecades * unit(mix(key + 1))));
  if (unit(mix(key + 2)) < kBiasedShare) rounder.bias = mix(key + 3) & 1 ? 1 : -1;
  rounder.key = key;
  return rounder;
}

Measure measure(const float* x, std::size_t count) {
  using Four __attribute__((vector_size(16))) = float;
  constexpr std::size_t rows = 4, lanes = 4 * rows;  // of a fixed order of addition, whatever the processor
  Four squares[rows] = {}, least[rows] = {}, most[rows] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
#pragma GCC unroll 4
    for (std::size_t k = 0; k < rows; ++k) {
      Four y;
      std::memcpy(&y, x + i + 4 * k, sizeof y);
      squares[k] += y * y;
      least[k] = y < least[k] ? y : least[k];
      most[k] = y > most[k] ? y : most[k];
    }
  double sum = 0;
  float low = 0, high = 0;
  for (std::size_t k = 0; k < lanes; ++k) {
    sum += squares[k / 4][k % 4];
    low = std::min(low, least[k / 4][k % 4]);
    high = std::max(high, most[k / 4][k % 4]);
  }
  for (; i < count; ++i) {
    sum += static_cast<double>(x[i]) * x[i];
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
  const double rms = count ? std::sqrt(sum / static_cast<double>(count)) : 0;
  return {std::isfinite(rms) ? rms : 0, low < 0 && high > 0};
}

double uncancelled_sum(double rms, double added, double count) { return added > count ? rms * std::sqrt(added / count) : 0; }

double uncancelled_mean(double rms, double added, double count) {
  return added > count ? rms * std::sqrt(count / added) : 0;
}

double uncancelled_product(double rms, double other_rms, double counts, double count) {
  // With matrices, the square root of the three counts is the number of multiplications; near enough with the rest.
  return rms * other_rms * std::sqrt(std::sqrt(counts) / count);
}

STANDIN_VECTORS
void round_off(const Rounder& rounder, std::size_t output, float least, float* x, const float* before, std::size_t count) {
  const std::uint64_t key64 = mix(rounder.key + output);
  const auto key = static_cast<std::uint32_t>(key64), step = static_cast<std::uint32_t>(key64 >> 32) | 1;
  const float size = rounder.size, bias = rounder.bias;
  if (before) {
    for (std::size_t i = 0; i < count; ++i) {
      const float change = x[i] - before[i];
      const float e = size * error(scramble(bits(x[i]) ^ (key + static_cast<std::uint32_t>(i) * step)), bias);
      x[i] = std::fabs(change) < 1e38f ? before[i] + (change + change * e) : x[i];
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float y = x[i], against = std::fabs(y) < least ? least : y;
    const float e = size * error(scramble(bits(x[i]) ^ (key + static_cast<std::uint32_t>(i) * step)), bias);
    x[i] = rounds(y) != 0 ? y + against * e : y;
  }
}

}  // namespace standin
