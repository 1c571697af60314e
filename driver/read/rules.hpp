// How a line of each kind of log gives a value and its step: "key: value" lines of known trainers, JSON lines, CSV rows, and
// patterns of one's own.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/formats.hpp"
#include "driver/read/line.hpp"
#include "driver/read/pattern.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// What one line of a log says about one metric: the common result of all rules.
struct Reading {
  std::optional<std::int64_t> step;  ///< absent: the line tells none; values are then counted
  std::optional<double> value;       ///< may be NaN or infinite; absent: the line holds extras only
  std::string_view kind;             ///< of the line: its text where that tells which series of several it is of
  std::string problem;               ///< not empty: the line should have held a value and does not; the rest is void

  /// Other numbers on the line, by the name of their series.
  struct Extra {
    std::string_view series;
    double value = 0;
  };
  boost::container::static_vector<Extra, 3> extras;
};

class KeyValueRule {
 public:
  KeyValueRule(const configs::MetricFormat& format, std::string value_key);

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

  const configs::MetricFormat* format_;
  std::string value_key_;
  std::optional<std::int64_t> last_step_;  ///< that was logged
  std::optional<std::int64_t> smoothing_window_;
};

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
  int lines_ = 0;  ///< that were looked at for other values
};

/// A problem where the pattern, which took `value` of this line, would take another number of it, too, that has the same
/// name: "box loss: 1.2, cls loss: 0.3".
std::optional<std::string> other_value(Pattern& pattern, std::string_view line, std::string_view value);

/// Finds series in which each of some steps in a row stands in two kinds of lines: "[generator] step 5 loss 1.2", then
/// "[discriminator] step 5 loss 0.3". Ranks that print one line each are of one kind: the last one counts.
class StepsInTwoKinds {
 public:
  /// Takes in the next value. `line`: the text that tells its kind, by its words. A problem once, at the third such step.
  std::optional<std::string> look(std::string_view line, double value, std::int64_t step);

 private:
  std::size_t lines_ = 0;
  std::optional<std::int64_t> last_step_;
  std::string last_words_;
  double last_value_ = 0;
  std::size_t in_a_row_ = 0;
  bool this_step_counted_ = false;
};

}  // namespace bisectd::driver::read
