#include "driver/read/rules.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "driver/learn/plain_lines.hpp"
#include "driver/read/fields.hpp"

namespace bisectd::driver::read {

namespace {

Reading wrong(std::string problem) {
  Reading reading;
  reading.problem = std::move(problem);
  return reading;
}

/// The first of these keys that a count stands behind; nothing if that may be cut short.
std::optional<learn::FoundValue> first_count(const Line& line, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys)
    if (const auto found = count_after(line.text, key))
      return line.cut_short(line.text.substr(found->begin, found->end - found->begin)) ? std::nullopt : found;
  return std::nullopt;
}

/// The step that stands behind the epoch with no word of its own: "Epoch: [0] [2087/7312]".
std::optional<learn::FoundValue> count_behind(std::string_view line, const learn::FoundValue& epoch) {
  const std::size_t closing = line.find(']', epoch.end);
  return closing == std::string_view::npos ? std::nullopt : count_at(line, closing + 1);
}

}  // namespace

KeyValueRule::KeyValueRule(const configs::MetricFormat& format, std::string value_key)
    : format_(&format), value_key_(std::move(value_key)) {}

std::optional<Reading> KeyValueRule::read(const Line& line) {
  if (line.text.find(format_->marker) != std::string_view::npos) {
    auto reading = read_value(line);
    if (reading && reading->problem.empty()) last_step_ = reading->step;
    return reading;
  }
  if (!format_->smoothing_setting.empty())
    if (const auto window = count_after(line.text, format_->smoothing_setting)) smoothing_window_ = window->value->count();
  if (format_->takes_last_step)
    if (const auto step = first_count(line, format_->step_keys)) last_step_ = static_cast<std::int64_t>(step->value->number);
  return std::nullopt;
}

std::optional<Reading> KeyValueRule::read_value(const Line& line) const {
  const auto behind_key = after_key(line.text, value_key_);
  if (!behind_key) return std::nullopt;
  const std::string_view word = first_word(*behind_key);
  if (line.cut_short(word)) return std::nullopt;
  if (const std::string_view cut = cut_at_comma(line.text, word); !cut.empty()) return wrong(std::string(cut));
  Reading reading;
  reading.value = number(word);
  if (!reading.value) return wrong(fmt::format("the value '{}' of {} is not a number", word, value_key_));
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
    if (const auto step = first_count(line, format_->step_keys))
      reading.step = static_cast<std::int64_t>(step->value->number);
  } else if (const auto epoch = count_after(line.text, format_->epoch_key)) {
    const auto step =
        format_->step_keys.front().empty() ? count_behind(line.text, *epoch) : first_count(line, format_->step_keys);
    if (step && step->value->of > 0 && step->value->whole && epoch->value->whole)
      reading.step = (epoch->value->count() - format_->first_epoch) * step->value->of + step->value->count();
  }
}

void KeyValueRule::read_extras(const Line& line, Reading& reading) const {
  for (const configs::WatchedSeries& watch : format_->watched) {
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

namespace {

using json = nlohmann::ordered_json;

/// A value of a JSON object or of a row of CSV, and its step.
Reading in_table(const Line& line, const std::string& value_key, double value, const std::string& step_key,
                 std::optional<double> step) {
  Reading reading;
  reading.value = value;
  reading.kind = line.text;
  if (!step_key.empty()) reading.step = whole_number(step);
  if (!step_key.empty() && !reading.step)
    reading.problem = fmt::format("a value of '{}' without a whole number as '{}'", value_key, step_key);
  return reading;
}

/// The value of a key; if there is none, dots in the key lead into nested objects.
const json* find(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  if (const auto found = object.find(std::string(key)); found != object.end()) return &*found;
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const auto outer = object.find(std::string(key.substr(0, dot)));
  return outer == object.end() ? nullptr : find(*outer, key.substr(dot + 1));
}

std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? number(value.get_ref<const std::string&>()) : std::nullopt;
}

}  // namespace

JsonRule::JsonRule(std::string step_key, std::string value_key, bool own_file)
    : step_key_(std::move(step_key)), value_key_(std::move(value_key)), own_file_(own_file) {}

std::optional<Reading> JsonRule::read(const Line& line) const {
  const std::size_t first = line.text.find_first_not_of(" \t");
  if (first == std::string_view::npos || (!own_file_ && line.text[first] != '{')) return std::nullopt;
  const json object = learn::parsed_json(line.text);
  if (!object.is_object()) {
    // Cut short, or a line of the log that only looks like an object.
    if (line.block->torn || (!own_file_ && line.text.find('"' + value_key_ + '"') == std::string_view::npos))
      return std::nullopt;
    return wrong("the line is not a JSON object");
  }
  const json* value = find(object, value_key_);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const auto as_number = number_in(*value);
  if (!as_number) return wrong(fmt::format("the value {} of '{}' is not a number", value->dump(), value_key_));
  const json* step = find(object, step_key_);
  return in_table(line, value_key_, *as_number, step_key_, step ? number_in(*step) : std::nullopt);
}

Needed JsonRule::needed() const {
  if (own_file_) return {.any_line = true};
  return {.literals = {{.text = value_key_.substr(value_key_.rfind('.') + 1)}}};
}

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

std::optional<std::size_t> column(const std::vector<std::string>& fields, const std::string& key) {
  const auto found = std::ranges::find(fields, key, trimmed);
  return found == fields.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - fields.begin()));
}

/// What stands between the names of a header instead of commas: with it, one of them is `key`. Empty: nothing does.
std::string_view other_separator(std::string_view header, const std::string& key) {
  for (const std::string_view separator : {";", "\t", "|"}) {
    for (std::string_view rest = header; !rest.empty();) {
      const std::size_t end = std::min(rest.find(separator), rest.size());
      std::string_view name = trimmed(rest.substr(0, end));
      if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
      if (end < header.size() && name == key) return separator == "\t" ? "tabs" : separator;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return {};
}

}  // namespace

std::optional<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    std::string& field = fields.emplace_back();
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      while (true) {
        const std::size_t quote = line.find('"');
        if (quote == std::string_view::npos) return std::nullopt;
        field += line.substr(0, quote);
        line.remove_prefix(quote + 1);
        if (!line.starts_with('"')) break;
        field += '"';  // a doubled quote stands for itself
        line.remove_prefix(1);
      }
      if (!line.empty() && line[0] != ',') return std::nullopt;
    } else {
      const std::size_t comma = std::min(line.find(','), line.size());
      field = line.substr(0, comma);
      line.remove_prefix(comma);
    }
    if (line.empty()) return fields;
    line.remove_prefix(1);
  }
}

CsvRule::CsvRule(std::string step_key, std::string value_key, bool own_file)
    : step_key_(std::move(step_key)), value_key_(std::move(value_key)), own_file_(own_file) {}

std::optional<Reading> CsvRule::read(const Line& line) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string_view text = line.text;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto fields = csv_fields(text);
  if (!has_header_ && own_file_ && !(fields && column(*fields, value_key_)))
    if (const auto separator = other_separator(text, value_key_); !separator.empty())
      return wrong(fmt::format("fields are separated by {}, and CSV is read with commas only", separator));
  if (!fields) {
    if (line.block->torn || !own_file_) return std::nullopt;
    return wrong("a quote is not closed, or text follows a closing one");
  }
  if (!has_header_ || column(*fields, value_key_)) return read_header(*fields);
  return read_row(*fields, line);
}

std::optional<Reading> CsvRule::read_header(const std::vector<std::string>& fields) {
  const auto value_at = column(fields, value_key_);
  if (!value_at && !own_file_) return std::nullopt;
  const bool first = !std::exchange(has_header_, true);
  width_ = fields.size();
  value_at_ = value_at.value_or(width_);
  step_at_ = column(fields, step_key_);
  if (!first) return std::nullopt;
  if (!value_at) return wrong(fmt::format("the header has no column '{}'", value_key_));
  if (!step_at_ && !step_key_.empty()) return wrong(fmt::format("the header has no column '{}'", step_key_));
  return std::nullopt;
}

std::optional<Reading> CsvRule::read_row(const std::vector<std::string>& fields, const Line& line) const {
  if (fields.size() != width_) {
    if (line.block->torn || !own_file_) return std::nullopt;
    return wrong(fmt::format("{} fields instead of {}", fields.size(), width_));
  }
  if (value_at_ >= width_) return std::nullopt;
  const std::string_view value_text = trimmed(fields[value_at_]);
  const bool last_field_is_torn = line.block->torn && (value_at_ + 1 == width_ || step_at_ == width_ - 1);
  if (value_text.empty() || last_field_is_torn) return std::nullopt;
  const auto value = number(value_text);
  if (!value) return wrong(fmt::format("the value '{}' of '{}' is not a number", value_text, value_key_));
  return in_table(line, value_key_, *value, step_key_, step_at_ ? number(trimmed(fields[*step_at_])) : std::nullopt);
}

namespace {

constexpr std::array<std::string_view, 1> kMetricGroups{"value"};
constexpr std::array<std::string_view, 1> kOptionalMetricGroups{"step"};
constexpr std::string_view kValueGroup = "(?P<value>";

/// The same pattern with any word as its value.
std::string relaxed(const std::string& written) {
  const std::size_t group = written.find(kValueGroup);
  if (group == std::string::npos) return written;
  const std::size_t body = group + kValueGroup.size();
  std::size_t end = written.find(')', body);  // the first one before which a pattern stands closes the group
  while (end != std::string::npos && !re2::RE2(written.substr(body, end - body), re2::RE2::Quiet).ok())
    end = written.find(')', end + 1);
  return end == std::string::npos ? written : std::string(written).replace(body, end - body, R"([^\s,;|'")\]}]+)");
}

}  // namespace

PatternRule::PatternRule(const std::string& written)
    : strict_(written, kMetricGroups, kOptionalMetricGroups),
      relaxed_(relaxed(written), kMetricGroups, kOptionalMetricGroups),
      has_step_(written.find("(?P<step>") != std::string::npos) {}

std::optional<Reading> PatternRule::read(const Line& line) {
  auto groups = strict_.match(line.text);
  if (groups.empty()) groups = relaxed_.match(line.text);
  if (groups.empty()) return std::nullopt;
  const std::string_view word = groups[0];
  const std::string_view step = groups[1];
  if (line.cut_short(word) || line.cut_short(step)) return std::nullopt;

  if (const std::string_view cut = cut_at_comma(line.text, word); !cut.empty()) return wrong(std::string(cut));
  Reading reading;
  reading.value = number(word);
  if (!reading.value) return wrong(fmt::format("the value '{}' is not a number", word));
  // A pattern that knows no exponent takes 1.5 of 1.5e-3: a wrong number is worse than none.
  const auto place = static_cast<std::size_t>(word.data() - line.text.data());
  const std::string_view whole_word = first_word(line.text.substr(place));
  if (whole_word.size() != word.size())
    if (const auto other = number(whole_word); other && other != reading.value)
      return wrong(fmt::format("the pattern takes only '{}' of the number '{}'", word, whole_word));
  if (has_step_) {
    reading.step = whole_number(number(step));
    if (!reading.step) reading.problem = fmt::format("the step '{}' is not a whole number", step);
  }
  reading.kind = line.text.substr(0, place);
  constexpr int kLookedAt = 1000;  // lines: a log that holds two losses shows both early
  if (lines_ < kLookedAt && ++lines_ > 0)
    if (auto other = other_value(strict_, line.text, word)) reading.problem = *std::move(other);
  return reading;
}

}  // namespace bisectd::driver::read
