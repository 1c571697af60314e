#include "driver/read/json_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

using nlohmann::json;

/// Puts the words that Python writes for what JSON lacks in quotes. Strings stay as they are.
std::string with_quoted_words(std::string_view text) {
  constexpr std::array<std::string_view, 3> kWords{"NaN", "-Infinity", "Infinity"};
  std::string quoted;
  bool in_string = false;
  while (!text.empty()) {
    std::size_t length = 1;
    if (in_string) {
      if (text[0] == '\\' && text.size() > 1) length = 2;
      if (text[0] == '"') in_string = false;
      quoted += text.substr(0, length);
    } else {
      for (const std::string_view word : kWords)
        if (text.starts_with(word)) length = word.size();
      if (text[0] == '"') in_string = true;
      quoted += length > 1 ? fmt::format("\"{}\"", text.substr(0, length)) : std::string(1, text[0]);
    }
    text.remove_prefix(length);
  }
  return quoted;
}

json parse(std::string_view text) {
  json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) object = json::parse(with_quoted_words(text), nullptr, false);
  return object;
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

std::optional<std::int64_t> step_in(const json& value) {
  constexpr double kMost = 9e15;  // whole numbers up to here are exact in a double
  if (value.is_number_integer()) return value.get<std::int64_t>();
  const auto as_double = number_in(value);
  if (!as_double || std::trunc(*as_double) != *as_double || std::abs(*as_double) > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*as_double);
}

}  // namespace

JsonRule::JsonRule(std::string step_key, std::string value_key, bool own_file)
    : step_key_(std::move(step_key)), value_key_(std::move(value_key)), own_file_(own_file) {}

std::optional<Reading> JsonRule::read(const Line& line) const {
  const std::size_t first = line.text.find_first_not_of(" \t");
  if (first == std::string_view::npos || (!own_file_ && line.text[first] != '{')) return std::nullopt;
  const json object = parse(line.text);
  Reading reading;
  if (!object.is_object()) {
    // Cut short, or a line of the log that only looks like an object.
    if (line.block->torn || (!own_file_ && line.text.find('"' + value_key_ + '"') == std::string_view::npos))
      return std::nullopt;
    reading.problem = "the line is not a JSON object";
    return reading;
  }
  const json* value = find(object, value_key_);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const auto as_number = number_in(*value);
  if (!as_number) {
    reading.problem = fmt::format("the value {} of '{}' is not a number", value->dump(), value_key_);
    return reading;
  }
  reading.value = *as_number;
  if (step_key_.empty()) return reading;
  const json* step = find(object, step_key_);
  if (step != nullptr) reading.step = step_in(*step);
  if (!reading.step) reading.problem = fmt::format("a value of '{}' without a whole number as '{}'", value_key_, step_key_);
  return reading;
}

Needed JsonRule::needed() const {
  if (own_file_) return {.any_line = true};
  return {.literals = {{.text = value_key_.substr(value_key_.rfind('.') + 1)}}};
}

}  // namespace bisectd::driver::read
