#include "driver/read/metric_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "configs/formats.hpp"
#include "driver/read/fields.hpp"
#include "driver/read/line.hpp"
#include "driver/read/rules.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::size_t kShownBadLine = 200;

const configs::MetricFormat* format_of(const configs::Metric& metric) {
  if (metric.pattern) return nullptr;
  const configs::MetricFormat* format = configs::find_format(metric.format.value);
  if (format == nullptr) throw std::invalid_argument(fmt::format("unknown format '{}'", metric.format.value));
  return format;
}

}  // namespace

MetricReader::Rule MetricReader::rule_of(const configs::Metric& metric, const configs::MetricFormat* format) {
  if (format == nullptr) return PatternRule(metric.pattern->value);
  const bool own_file = metric.file.has_value();
  const std::string key = metric.value_key.empty() ? metric.name : metric.value_key;
  if (format->kind == configs::FormatKind::json_lines) return JsonRule(metric.step_key, key, own_file);
  if (format->kind == configs::FormatKind::csv) return CsvRule(metric.step_key, key, own_file);
  return KeyValueRule(*format, metric.value_key.empty() && metric.name == "loss" ? std::string(format->loss_key) : key);
}

MetricReader::MetricReader(const configs::Metric& metric)
    : name_(metric.name), format_(format_of(metric)), rule_(rule_of(metric, format_)), is_watched_(metric.is_watched()) {
  // A file of nothing but values has no line of words.
  const bool is_table = std::holds_alternative<JsonRule>(rule_) || std::holds_alternative<CsvRule>(rule_);
  tells_scale_ = !is_watched_ && !(metric.file && is_table);
}

void MetricReader::feed(const Line& line, judge::Curve& curve, std::optional<std::int64_t> logged) {
  const auto reading = std::visit([&](auto& rule) { return rule.read(line); }, rule_);
  if (!reading) {
    if (const auto scale = tells_scale_ ? told_scale(line) : std::nullopt)
      curve.series["loss_scale"].push_back({logged_step_, *scale});
    return;
  }
  if (!reading->problem.empty()) return note_wrong(line, reading->problem);
  const std::int64_t step = reading->step ? *reading->step : is_watched_ && logged ? *logged : ++counted_;
  for (const Reading::Extra& extra : reading->extras) curve.series[std::string(extra.series)].push_back({step, extra.value});
  if (!reading->value) return;
  if (reading->step && !reading->kind.empty())
    if (const auto kinds = kinds_.look(reading->kind, *reading->value, step))
      return note_wrong(line, *kinds + (format_ ? "; write the loss that matters under a name of its own"
                                                : "; write a pattern that fits the loss that matters alone"));
  judge::Series& series = curve.series[name_];
  if (format_ != nullptr && (series.empty() || smoothing_window() != noted_window_)) note_smoothing(curve);
  series.push_back({step, *reading->value});
  logged_step_ = step;
  last_step_ = std::max(last_step_.value_or(step), step);
}

void MetricReader::note_wrong(const Line& line, std::string message) {
  if (wrong_lines_.size() < kMostWrongLines)
    wrong_lines_.push_back(
        {std::string(line.block->source), line.number(), std::move(message), for_display(line.text, kShownBadLine)});
  ++wrong_line_count_;
}

void MetricReader::note_smoothing(judge::Curve& curve) {
  noted_window_ = smoothing_window();
  if (!format_->smoothing.empty())
    curve.smoothing[name_] = {.text = std::string(format_->smoothing),
                              .since_last_line = format_->smooths_since_last_line,
                              .window = noted_window_};
}

std::optional<std::int64_t> MetricReader::smoothing_window() const {
  const auto* rule = std::get_if<KeyValueRule>(&rule_);
  return rule == nullptr ? std::nullopt : rule->smoothing_window();
}

Needed MetricReader::needed() const {
  Needed needed = std::visit([](const auto& rule) -> Needed { return rule.needed(); }, rule_);
  if (tells_scale_)
    for (Literal& literal : needed_for_scale().literals) needed.literals.push_back(std::move(literal));
  return needed;
}

}  // namespace bisectd::driver::read
