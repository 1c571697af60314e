// Monotone predicates to search in: all of them over few suspects, random ones over more.
#pragma once

#include <functional>

#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {

inline std::vector<SuspectId> members_of_mask(unsigned mask) {
  std::vector<SuspectId> members;
  for (SuspectId i = 0; mask >> i; ++i)
    if (mask >> i & 1) members.push_back(i);
  return members;
}

// Every antichain of non-empty subsets of 0..n-1.
inline void for_each_antichain(unsigned n, const std::function<void(const Causes&)>& visit) {
  std::vector<unsigned> chosen;
  const std::function<void(unsigned)> extend = [&](unsigned from) {
    Causes causes;
    for (unsigned mask : chosen) causes.push_back(members_of_mask(mask));
    visit(causes);
    for (unsigned mask = from; mask < 1u << n; ++mask) {
      if (std::any_of(chosen.begin(), chosen.end(), [&](unsigned c) { return (c & mask) == c || (c & mask) == mask; }))
        continue;
      chosen.push_back(mask);
      extend(mask + 1);
      chosen.pop_back();
    }
  };
  extend(1);
}

/// One to four causes of one to three members.
inline Causes random_causes(Random& random, std::size_t n) {
  Causes causes;
  const std::size_t count = 1 + random.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    std::set<SuspectId> cause;
    for (std::size_t size = 1 + random.below(std::min<std::size_t>(3, n)); cause.size() < size;)
      cause.insert(random.below(n));
    causes.emplace_back(cause.begin(), cause.end());
  }
  return causes;
}

}  // namespace bisectd::strategies::testing
