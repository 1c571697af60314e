#include "half.hpp"

#include <cmath>

#include "paddle/phi/common/float16.h"

// Every operator of a training in mixed precision converts all that it is given and all that it gives back, so the
// processor's own instructions do it: of 80 steps of the recogniser it was 40 % of the processor time number by number in
// Paddle's float16.
namespace standin {
namespace {

#if defined(__aarch64__)  // always has them

void widen_some(const std::uint16_t* half, float* single, std::size_t count) {
  const auto* from = reinterpret_cast<const __fp16*>(half);
  for (std::size_t i = 0; i < count; ++i) single[i] = from[i];
}

void narrow_some(const float* single, std::uint16_t* half, std::size_t count) {
  auto* to = reinterpret_cast<__fp16*>(half);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<__fp16>(single[i]);
}

#else

void widen_by_software(const std::uint16_t* half, float* single, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) single[i] = static_cast<float>(phi::dtype::raw_uint16_to_float16(half[i]));
}

void narrow_by_software(const float* single, std::uint16_t* half, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    // Paddle's makes the least number of some that are far smaller than it (1e-27).
    const float x = std::fabs(single[i]) < 0x1p-25f ? std::copysign(0.0f, single[i]) : single[i];
    half[i] = phi::dtype::float16(x).x;
  }
}

#if defined(__x86_64__)

constexpr std::size_t kLanes = 8;

__attribute__((target("avx,f16c"))) void widen_by_processor(const std::uint16_t* half, float* single, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    _mm256_storeu_ps(single + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half + i))));
  for (; i < count; ++i) single[i] = _cvtsh_ss(half[i]);
}

__attribute__((target("avx,f16c"))) void narrow_by_processor(const float* single, std::uint16_t* half, std::size_t count) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(half + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(single + i), _MM_FROUND_TO_NEAREST_INT));
  for (; i < count; ++i) half[i] = _cvtss_sh(single[i], _MM_FROUND_TO_NEAREST_INT);
}

const bool by_processor = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
const auto widen_some = by_processor ? widen_by_processor : widen_by_software;
const auto narrow_some = by_processor ? narrow_by_processor : narrow_by_software;

#else
constexpr auto widen_some = widen_by_software;
constexpr auto narrow_some = narrow_by_software;
#endif
#endif

}  // namespace

void widen(const std::uint16_t* half, float* single, std::size_t count) { widen_some(half, single, count); }

void narrow(const float* single, std::uint16_t* half, std::size_t count) { narrow_some(single, half, count); }

}  // namespace standin
