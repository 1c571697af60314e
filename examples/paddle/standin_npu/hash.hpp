// Numbers that look random and follow from what they are asked for.
#pragma once

#include <cstdint>
#include <string>

namespace standin {

// splitmix64: every number of a sequence can be had alone, so a call's luck does not depend on the calls of other operators.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline std::uint64_t mix(const std::string& text) {
  std::uint64_t x = 0;
  for (const char letter : text) x = mix(x ^ static_cast<unsigned char>(letter));
  return x;
}

inline double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace standin
