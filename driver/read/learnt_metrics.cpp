#include "driver/read/learnt_metrics.hpp"

#include <algorithm>

#include "driver/learn/reading.hpp"
#include "driver/read/fields.hpp"
#include "driver/read/line.hpp"

namespace bisectd::driver::read {
namespace {

// The whole log is looked at again when it has grown by this share: a log of n lines is looked at log(n) / log(1 + share)
// times. A step that is due is seen so much later at most.
constexpr double kGrowthToFollow = 0.02;
constexpr double kGrowthToLearn = 0.25;
constexpr std::size_t kShownRefusal = 400;

bool has_grown(std::int64_t lines, std::int64_t before, double share) {
  return static_cast<double>(lines) > static_cast<double>(before) * (1 + share);
}

/// Settings that say over how many steps a trainer smooths.
std::vector<std::string_view> smoothing_settings() {
  std::vector<std::string_view> settings;
  for (const configs::MetricFormat& format : configs::metric_formats())
    if (!format.smoothing_setting.empty()) settings.push_back(format.smoothing_setting);
  return settings;
}

/// What a file is that holds no lines, by its first bytes, and what to do; empty for text.
std::string_view no_text(std::string_view beginning) {
  using namespace std::string_view_literals;
  for (const auto& [mark, what] :
       {std::pair{"\x1f\x8b"sv, "it is compressed by gzip: unpack it first"sv},
        {"\x28\xb5\x2f\xfd"sv, "it is compressed by zstd: unpack it first"sv},
        {"\xff\xfe"sv, "it is UTF-16, as PowerShell writes: iconv -f utf-16 -t utf-8 makes it readable"sv}})
    if (beginning.starts_with(mark)) return what;
  return {};
}

/// Whose trainer prints such lines.
const configs::MetricFormat* format_of(const std::string& line) {
  for (const configs::MetricFormat& format : configs::metric_formats()) {
    const auto has_step = [&](std::string_view key) { return key.empty() || count_after(line, key).has_value(); };
    if (format.kind == configs::FormatKind::key_value && !format.takes_last_step &&
        line.find(format.marker) != std::string::npos && after_key(line, format.loss_key) &&
        (format.step_keys.empty() || std::ranges::any_of(format.step_keys, has_step)))
      return &format;
  }
  return nullptr;
}

}  // namespace

judge::Series series_of(const std::vector<learn::LogPoint>& points) {
  judge::Series series;
  series.reserve(points.size());
  for (const learn::LogPoint& point : points) series.push_back({point.step, point.value.number});
  return series;
}

LearntMetrics::LearntMetrics(std::vector<LearntMetric> metrics, Readings known)
    : metrics_(std::move(metrics)), known_(std::move(known)) {
  Needed needed = needed_for_scale();
  for (const std::string_view setting : smoothing_settings()) needed.literals.push_back({.text = std::string(setting)});
  scale_lines_.add(needed);
}

void LearntMetrics::feed(const Block& block, std::size_t from, std::size_t to) {
  const std::string_view text = block.text.substr(from, to - from);
  if (block.contents.is_plain) log_.feed(text);
  else log_.feed(with_valid_characters(text));
}

void LearntMetrics::take(const Block& block) {
  if (!no_text_) no_text_ = no_text(block.text);
  if (block.torn) {
    rest_ = with_valid_characters(block.text);
    return;
  }
  std::size_t from = 0;  // what was handed on
  scale_lines_.pick(block, [&](const Line& line) {
    for (const std::string_view setting : smoothing_settings())
      if (const auto window = count_after(line.text, setting)) smoothing_window_ = window->value->count();
    const auto scale = told_scale(line);
    if (!scale) return;
    feed(block, from, line.offset);
    from = line.offset;
    told_scales_.emplace_back(log_.lines(), *scale);
  });
  feed(block, from, block.text.size());
}

bool LearntMetrics::look(bool ended) {
  if (ended) log_.finish(rest_);
  const bool learns = ended || has_grown(log_.lines(), learnt_at_, kGrowthToLearn);
  if (!learns && !has_grown(log_.lines(), looked_at_, kGrowthToFollow)) return false;
  looked_at_ = log_.lines();
  if (learns) learnt_at_ = looked_at_;
  for (LearntMetric& metric : metrics_) read(metric, learns);
  return true;
}

bool LearntMetrics::follow_known(LearntMetric& metric) {
  for (const auto& [name, reading] : known_) {
    if (name != metric.metric) continue;
    learn::Found found = learn::follow(reading, log_);
    if (found.points.empty()) continue;
    metric.found = std::move(found);
    metric.refusal.clear();
    metric.is_ambiguous = metric.is_new = false;
    return true;
  }
  return false;
}

void LearntMetrics::read(LearntMetric& metric, bool learns) {
  if (follow_known(metric)) return;
  if (!learns) {
    if (metric.found) metric.found = learn::follow(metric.found->reading, log_);
    return;
  }
  try {
    metric.found = learn::learn(log_, metric.key);
    metric.refusal.clear();
    metric.is_ambiguous = false;
  } catch (const learn::Refusal& refusal) {
    metric.found.reset();
    metric.refusal = no_text_.value_or("").empty() ? for_display(refusal.what(), kShownRefusal) : std::string(*no_text_);
    metric.is_ambiguous = refusal.is_ambiguous();
  }
  metric.is_new = metric.found.has_value();
}

std::optional<judge::Smoothing> LearntMetrics::smoothing(const LearntMetric& metric) const {
  const configs::MetricFormat* format = metric.found ? format_of(metric.found->reading.line) : nullptr;
  if (format == nullptr || format->smoothing.empty()) return std::nullopt;
  return judge::Smoothing{.text = std::string(format->smoothing),
                          .since_last_line = format->smooths_since_last_line,
                          .window = format->smoothing_setting.empty() ? std::nullopt : smoothing_window_};
}

judge::Series LearntMetrics::beside(const std::vector<std::string>& names) const {
  if (metrics_.empty() || !metrics_[0].found) return {};
  return series_of(learn::beside(metrics_[0].found->reading, log_, names));
}

judge::Series LearntMetrics::loss_scale() const {
  if (metrics_.empty()) return {};
  std::vector<std::pair<std::int64_t, judge::Point>> all;
  if (metrics_[0].found) {
    const learn::Found& found = *metrics_[0].found;
    for (const learn::LogPoint& point : learn::beside(found.reading, log_, {"loss scale", "loss scaling", "loss scaler"}))
      all.emplace_back(point.line, judge::Point{point.step, point.value.number});
    for (const auto& [line, scale] : told_scales_) {
      std::int64_t step = 0;  // of the last value before it
      for (const learn::LogPoint& point : found.points)
        if (point.line < line) step = point.step;
      all.emplace_back(line, judge::Point{step, scale});
    }
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  judge::Series series;
  for (const auto& [line, point] : all) series.push_back(point);
  return series;
}

}  // namespace bisectd::driver::read
