// In which trials suspects are active, as sets of trials: bits in words of 64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// A set of trials, by their numbers.
using Pattern = std::vector<std::uint64_t>;

std::size_t count_of(const Pattern& pattern);
Pattern both(const Pattern& a, const Pattern& b);
Pattern without(const Pattern& a, const Pattern& b);  ///< those of `a` that are not in `b`
/// Whether both(a, b) is this one; needs no memory, as it is asked of all pairs.
bool are_together(const Pattern& a, const Pattern& b, const Pattern& pattern);
inline bool holds(const Pattern& pattern, std::size_t trial) { return pattern[trial / 64] >> (trial % 64) & 1; }
/// Ascending.
std::vector<std::size_t> rows_of(const Pattern& pattern);

/// Of each suspect the trials in which it is active.
class Activity {
 public:
  explicit Activity(std::size_t suspects) : patterns_(suspects) {}

  void add(const SuspectSet& active);  ///< one more trial
  std::size_t trials() const { return trials_; }
  const Pattern& of(SuspectId suspect) const { return patterns_[suspect]; }
  /// In which all of these are active; of none: all trials.
  Pattern of(const std::vector<SuspectId>& members) const;
  Pattern everywhere() const { return of(std::vector<SuspectId>{}); }

 private:
  std::size_t trials_ = 0;
  std::vector<Pattern> patterns_;  // by suspect
};

}  // namespace bisectd::strategies
