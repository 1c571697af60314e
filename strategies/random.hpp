// A small generator whose stream is the same on every machine and build type (the distributions of <random> are not).
// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace bisectd::strategies {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// 0 .. bound-1, each equally likely; bound > 0.
  std::size_t below(std::size_t bound) {
    const std::uint64_t rest = (~std::uint64_t{0} % bound + 1) % bound;  // 2^64 mod bound
    std::uint64_t draw = next();
    while (draw < rest) draw = next();
    return static_cast<std::size_t>(draw % bound);
  }

  /// In [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bisectd::strategies
