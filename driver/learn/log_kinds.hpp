// A log as kinds of lines: those with the same words in the same order, each with its numbers. Knows no metric and no step.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/learn/line_parser.hpp"
#include "driver/learn/plain_lines.hpp"

namespace bisectd::driver::learn {

class Kind {
 public:
  Kind(const Shape& shape, std::string_view line);

  const std::string& sign() const { return shape_->sign; }
  const std::string& line() const { return line_; }  ///< the first one
  bool in_bar() const { return shape_->in_bar; }
  bool is_validation() const { return is_validation_; }  ///< by the words that stand outside the names of other numbers
  const std::vector<std::string>& keys() const { return shape_->keys; }
  std::optional<std::size_t> column_of(std::string_view key) const;

  std::size_t rows() const { return lines_.size(); }
  std::int64_t line_of(std::size_t row) const { return lines_[row]; }
  const Value& at(std::size_t row, std::size_t column) const { return values_[row * keys().size() + column]; }
  std::vector<Value> column(std::size_t column) const;

 private:
  friend class LogKinds;
  void add(std::int64_t line, const std::vector<Value>& values);

  const Shape* shape_;
  std::string line_;
  bool is_validation_;
  std::vector<std::int64_t> lines_;  ///< of each row: its place in the log
  std::vector<Value> values_;        ///< row by row
};

class LogKinds {
 public:
  void feed(std::string_view whole_lines);
  /// `rest`: a last line without its end, or nothing.
  void finish(std::string_view rest);

  const std::deque<Kind>& kinds() const { return kinds_; }
  std::int64_t lines() const { return lines_; }
  /// The number that the log ends with, if its last line has no end: it may be cut.
  const std::optional<Value>& cut_value() const { return cut_value_; }

 private:
  void take(std::string_view line);

  PlainLines plain_;
  LineParser parser_;
  std::deque<Kind> kinds_;
  std::unordered_map<const Shape*, Kind*> by_shape_;
  std::int64_t lines_ = 0;
  std::vector<Value> values_;
  std::optional<Value> cut_value_;
};

/// Rows of some kinds in the order of the log. Whole columns: only keys that each of the kinds has.
struct Rows {
  std::vector<std::int64_t> lines;
  std::vector<std::string> keys;
  std::vector<std::vector<Value>> columns;
  bool in_bar = false;  ///< the first one

  std::size_t size() const { return lines.size(); }
  const std::vector<Value>* column(std::string_view key) const;
  Rows where(std::string_view key, std::int64_t count) const;
};
Rows rows_of(const std::vector<const Kind*>& kinds);

/// How whole numbers go.
struct Counting {
  explicit Counting(const std::vector<std::int64_t>& numbers);

  std::size_t ups = 0, falls = 0;
  std::int64_t delta = 0;    ///< the usual step up
  double even = 0;           ///< share of the steps up that are `delta`
  bool rises = false;        ///< and never falls
  std::size_t restarts = 0;  ///< it falls so often, each time to where it began; 0 where it falls elsewhere
};
std::vector<std::int64_t> counts_of(const std::vector<Value>& values);

}  // namespace bisectd::driver::learn
