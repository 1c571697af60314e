// Reads a metric from lines that are one JSON object each.
#pragma once

#include <optional>
#include <string>

#include "driver/read/line.hpp"
#include "driver/read/reading.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// An object without the value's key is no reading; with it, but without a whole-numbered step, it is wrong. Keys may
/// lead into nested objects: "train.loss". NaN and Infinity, which JSON does not have but Python writes, are values.
class JsonRule {
 public:
  /// Every line of an `own_file` must be an object; elsewhere only what begins with '{' is looked at. Without a
  /// `step_key` the values are counted.
  JsonRule(std::string step_key, std::string value_key, bool own_file);

  std::optional<Reading> read(const Line& line) const;
  Needed needed() const;

 private:
  std::string step_key_;
  std::string value_key_;
  bool own_file_;
};

}  // namespace bisectd::driver::read
