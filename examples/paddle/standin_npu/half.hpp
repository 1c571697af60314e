// Between float16 and float32, many numbers at a time.  Pure arithmetic on arrays; knows no tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

// Exact; a signalling NaN becomes a quiet one.
void widen(const std::uint16_t* half, float* single, std::size_t count);

// To the nearest, ties to even, as IEEE 754 says: overflow becomes infinity, what is smaller than half of the least number
// zero.
void narrow(const float* single, std::uint16_t* half, std::size_t count);

}  // namespace standin
