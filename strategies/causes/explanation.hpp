// What the engine `causes` believes in: sets of causes, each of one, two or three suspects that fail only together.
// Suspects are numbered by their place among those searched (searched.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace bisectd::strategies::causes {

inline constexpr std::size_t kMostMembers = 3;
inline constexpr std::size_t kMostCauses = 16;
inline constexpr std::size_t kMostSuspects = 0xffff;  ///< a member is a number of 16 bits, and the last one means nobody

/// Members ascending; unused places hold kNobody.
struct Cause {
  static constexpr std::uint16_t kNobody = kMostSuspects;
  std::array<std::uint16_t, kMostMembers> member{kNobody, kNobody, kNobody};

  std::size_t size() const {
    std::size_t size = 0;
    while (size < kMostMembers && member[size] != kNobody) ++size;
    return size;
  }
  const std::uint16_t* begin() const { return member.data(); }
  const std::uint16_t* end() const { return member.data() + size(); }
  void add(std::size_t suspect) {
    member[size()] = static_cast<std::uint16_t>(suspect);
    std::sort(member.begin(), member.end());
  }
  bool contains(std::size_t suspect) const { return std::find(begin(), end(), suspect) != end(); }
  bool part_of(const Cause& other) const { return std::includes(other.begin(), other.end(), begin(), end()); }
  auto operator<=>(const Cause&) const = default;
};

/// A set of causes, none of them part of another. A trial is predicted to fail iff some cause is wholly active.
struct Explanation {
  std::size_t size = 0;
  std::array<Cause, kMostCauses> cause{};

  const Cause* begin() const { return cause.data(); }
  const Cause* end() const { return cause.data() + size; }
  void add(const Cause& made) { cause[size++] = made; }
  void remove(std::size_t at) {
    cause[at] = cause[--size];
    cause[size] = Cause{};
  }
  /// Whether the cause at `at` is neither part of another one nor the reverse.
  bool legal(std::size_t at) const {
    for (std::size_t i = 0; i < size; ++i)
      if (i != at && (cause[i].part_of(cause[at]) || cause[at].part_of(cause[i]))) return false;
    return true;
  }
  /// The same set always in the same order.
  void sort() { std::sort(cause.begin(), cause.begin() + static_cast<std::ptrdiff_t>(size)); }
  auto operator<=>(const Explanation&) const = default;
};

}  // namespace bisectd::strategies::causes
