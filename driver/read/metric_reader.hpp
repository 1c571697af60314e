// Reads one metric from the lines of a log: picks the rule that the experiment asks for, and keeps score of what it
// found and what it should have found. Knows no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/read/line.hpp"
#include "driver/read/rules.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// A line that should have held a value and does not.
struct WrongLine {
  std::string source;  ///< name of the file
  std::int64_t number = 0;
  std::string message;
  std::string text;  ///< of the line, fit to be shown
};

class MetricReader {
 public:
  /// Of more wrong lines than this only the number is kept.
  static constexpr std::size_t kMostWrongLines = 100;

  /// Throws std::invalid_argument for an unknown format or a pattern that cannot work.
  explicit MetricReader(const configs::Metric& metric);

  /// Appends what the line says to the metric's series, to those the format watches (grad_norm, loss_scale), and to
  /// loss_scale where a framework says that it changes it: at the step of this metric's last value, 0 before the first. A
  /// value without a step gets the next whole number, from 1 on; one of a metric that is only watched `logged`, if that is
  /// known.
  void feed(const Line& line, judge::Curve& curve, std::optional<std::int64_t> logged = std::nullopt);

  /// What a line must contain to be worth feeding.
  Needed needed() const;

  const std::string& name() const { return name_; }
  bool is_watched() const { return is_watched_; }
  std::optional<std::int64_t> last_step() const { return last_step_; }  ///< the highest
  std::int64_t logged_step() const { return logged_step_; }             ///< of the last value, 0 before the first
  const std::vector<WrongLine>& wrong_lines() const { return wrong_lines_; }
  std::int64_t wrong_line_count() const { return wrong_line_count_; }

 private:
  void note_wrong(const Line& line, std::string message);
  void note_smoothing(judge::Curve& curve);
  std::optional<std::int64_t> smoothing_window() const;

  using Rule = std::variant<KeyValueRule, PatternRule, JsonRule, CsvRule>;
  static Rule rule_of(const configs::Metric& metric, const configs::MetricFormat* format);

  std::string name_;
  const configs::MetricFormat* format_;  ///< null for a pattern
  Rule rule_;
  bool is_watched_;  ///< and not judged
  bool tells_scale_;
  std::int64_t counted_ = 0, logged_step_ = 0;
  std::optional<std::int64_t> noted_window_;  ///< of smoothing, in the curve
  std::optional<std::int64_t> last_step_;
  StepsInTwoKinds kinds_;
  std::vector<WrongLine> wrong_lines_;
  std::int64_t wrong_line_count_ = 0;
};

}  // namespace bisectd::driver::read
