#include "driver/read/csv_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
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

Reading wrong(std::string problem) {
  Reading reading;
  reading.problem = std::move(problem);
  return reading;
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
  Reading reading;
  reading.value = *value;
  if (step_key_.empty()) return reading;
  constexpr double kMost = 9e15;  // whole numbers up to here are exact in a double
  const auto step = step_at_ ? number(trimmed(fields[*step_at_])) : std::nullopt;
  if (!step || std::trunc(*step) != *step || std::abs(*step) > kMost)
    return wrong(fmt::format("a value of '{}' without a whole number as '{}'", value_key_, step_key_));
  reading.step = static_cast<std::int64_t>(*step);
  return reading;
}

}  // namespace bisectd::driver::read
