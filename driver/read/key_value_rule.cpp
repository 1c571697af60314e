#include "driver/read/key_value_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

std::optional<StepCount> first_progress(std::string_view line, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys)
    if (const auto found = progress_after(line, key)) return found;
  return std::nullopt;
}

/// The step that stands behind the epoch with no word of its own: "Epoch: [0] [2087/7312]".
std::optional<StepCount> progress_behind(const StepCount& epoch) {
  const std::size_t closing = epoch.rest.find(']');
  return closing == std::string_view::npos ? std::nullopt : progress(epoch.rest.substr(closing + 1));
}

}  // namespace

KeyValueRule::KeyValueRule(const Format& format, std::string value_key)
    : format_(&format), value_key_(std::move(value_key)) {}

std::optional<Reading> KeyValueRule::read(const Line& line) {
  if (line.text.find(format_->marker) != std::string_view::npos) {
    auto reading = read_value(line);
    if (reading && reading->problem.empty()) last_step_ = reading->step;
    return reading;
  }
  if (!format_->smoothing_setting.empty())
    if (const auto window = progress_after(line.text, format_->smoothing_setting)) smoothing_window_ = window->at;
  if (format_->takes_last_step)
    if (const auto step = first_progress(line.text, format_->step_keys); step && !line.cut_short(step->digits))
      last_step_ = step->at;
  return std::nullopt;
}

std::optional<Reading> KeyValueRule::read_value(const Line& line) const {
  const auto behind_key = after_key(line.text, value_key_);
  if (!behind_key) return std::nullopt;
  const std::string_view word = first_word(*behind_key);
  if (line.cut_short(word)) return std::nullopt;
  Reading reading;
  if (const std::string_view cut = cut_at_comma(line.text, word); !cut.empty()) {
    reading.problem = cut;
    return reading;
  }
  reading.value = number(word);
  if (!reading.value) {
    reading.problem = fmt::format("the value '{}' of {} is not a number", word, value_key_);
    return reading;
  }
  read_step(line, reading);
  if (!format_->step_keys.empty() && !reading.step && reading.problem.empty())
    return std::nullopt;  // an epoch's summary, or torn
  read_extras(line, reading);
  return reading;
}

void KeyValueRule::read_step(const Line& line, Reading& reading) const {
  if (format_->takes_last_step) {
    if (!last_step_) reading.problem = "no step was logged before this value";
    reading.step = last_step_;
    return;
  }
  if (format_->step_keys.empty()) return;
  if (format_->epoch_key.empty()) {
    const auto step = first_progress(line.text, format_->step_keys);
    if (step && !line.cut_short(step->digits)) reading.step = step->at;
  } else if (const auto epoch = progress_after(line.text, format_->epoch_key)) {
    const auto step =
        format_->step_keys.front().empty() ? progress_behind(*epoch) : first_progress(line.text, format_->step_keys);
    constexpr std::int64_t kMost = std::int64_t{1} << 31;  // of each factor, so that the product fits
    if (step && step->of && std::max({epoch->at, step->at, *step->of}) < kMost)
      reading.step = (epoch->at - format_->first_epoch) * *step->of + step->at;
  }
}

void KeyValueRule::read_extras(const Line& line, Reading& reading) const {
  for (const WatchedSeries& watch : format_->watched) {
    if (watch.key == value_key_) continue;
    const auto behind_key = after_key(line.text, watch.key);
    if (!behind_key || line.cut_short(first_word(*behind_key))) continue;
    // A word that is no number is no value, and not ours to complain of.
    if (const auto value = leading_number(*behind_key)) reading.extras.push_back({watch.series, *value});
  }
}

Needed KeyValueRule::needed() const {
  Needed needed{.literals = {{.text = std::string(format_->marker)}}};
  if (!format_->smoothing_setting.empty()) needed.literals.push_back({.text = std::string(format_->smoothing_setting)});
  if (format_->takes_last_step)
    for (const std::string_view key : format_->step_keys) needed.literals.push_back({.text = std::string(key)});
  return needed;
}

}  // namespace bisectd::driver::read
