// Picks the few lines of a huge log that may matter, by the literals such a line must contain. Nearly all time of
// reading a log is spent here, so that patterns and readers see few lines. Knows no patterns.
#pragma once

#include <vector>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {

/// Each line that matters to somebody contains at least one of `literals`, or nobody can tell: `any_line`.
struct Needed {
  bool any_line = false;
  std::vector<Literal> literals;
};

class Sieve {
 public:
  void add(const Needed& needed);

  /// Hands on, in order, at least each line that contains one of the literals, once, cleaned. Lines with a terminal
  /// escape are always handed on: it may split a literal.
  void pick(const Block& block, const TakeLine& take) const;

 private:
  bool any_line_ = false;
  std::vector<Literal> literals_;  ///< all
  std::vector<Literal> short_;     ///< those too short for `long_`
  Grams long_;
};

}  // namespace bisectd::driver::read
