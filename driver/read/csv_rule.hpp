// Reads a metric from a table of comma-separated values (RFC 4180, without line ends inside quotes).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/read/line.hpp"
#include "driver/read/reading.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// The fields of one line; nothing if a quote stays open or text follows a closing one.
std::optional<std::vector<std::string>> csv_fields(std::string_view line);

/// The header is the first line of an `own_file`, elsewhere the first line with a field that is the value's key; it may
/// come again, as after a restart. A row with an empty value is no reading.
class CsvRule {
 public:
  /// Without a `step_key` the values are counted.
  CsvRule(std::string step_key, std::string value_key, bool own_file);

  std::optional<Reading> read(const Line& line);
  Needed needed() const { return {.any_line = true}; }

 private:
  std::optional<Reading> read_header(const std::vector<std::string>& fields);
  std::optional<Reading> read_row(const std::vector<std::string>& fields, const Line& line) const;

  std::string step_key_;
  std::string value_key_;
  bool own_file_;
  bool has_header_ = false;
  std::size_t width_ = 0;  ///< number of columns
  std::size_t value_at_ = 0;
  std::optional<std::size_t> step_at_;
};

}  // namespace bisectd::driver::read
