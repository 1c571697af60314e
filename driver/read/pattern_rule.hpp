// Reads a metric with a pattern that the user wrote.
#pragma once

#include <optional>
#include <string>

#include "driver/read/line.hpp"
#include "driver/read/pattern.hpp"
#include "driver/read/reading.hpp"
#include "driver/read/several_values.hpp"

namespace bisectd::driver::read {

/// RE2 with the group `value` and, if it likes, `step`. Numbers that the user forgot are not lost: where the pattern
/// would match if only its `value` were any word, that word is the value (nan, -inf, 1e-3), or the line is wrong.
class PatternRule {
 public:
  /// Throws std::invalid_argument for a pattern that cannot work.
  explicit PatternRule(const std::string& written);

  std::optional<Reading> read(const Line& line);
  const Needed& needed() const { return relaxed_.needed(); }

 private:
  Pattern strict_;
  Pattern relaxed_;  ///< any word as its value
  bool has_step_;
  SeveralValues several_;
};

}  // namespace bisectd::driver::read
