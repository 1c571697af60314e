// Reads the "key: value" lines of known trainers, driven by the table of formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/read/formats.hpp"
#include "driver/read/line.hpp"
#include "driver/read/reading.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

class KeyValueRule {
 public:
  KeyValueRule(const Format& format, std::string value_key);

  /// Nothing if the line has no value of this metric.
  std::optional<Reading> read(const Line& line);

  Needed needed() const;

  /// Over how many steps the trainer said it smooths, once it said so.
  std::optional<std::int64_t> smoothing_window() const { return smoothing_window_; }

 private:
  std::optional<Reading> read_value(const Line& line) const;
  /// Sets the step or the problem.
  void read_step(const Line& line, Reading& reading) const;
  void read_extras(const Line& line, Reading& reading) const;

  const Format* format_;
  std::string value_key_;
  std::optional<std::int64_t> last_step_;  ///< that was logged
  std::optional<std::int64_t> smoothing_window_;
};

}  // namespace bisectd::driver::read
