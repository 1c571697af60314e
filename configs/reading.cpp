#include "configs/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <filesystem>

#include "configs/printable.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

/// How the words of a text would be written as a list, for a hint.
std::string as_list(std::string_view text) {
  std::vector<std::string> words;
  boost::split(words, text.substr(0, 100), boost::is_any_of(" \t\n"), boost::token_compress_on);
  std::erase(words, "");
  return printable(fmt::format("[{}]", fmt::join(words, ", ")));
}

}  // namespace

MapReader::MapReader(const Value& value, std::string what, Problems& problems)
    : value_(value), what_(std::move(what)), problems_(problems) {
  if (is_map()) return;
  const char* found = value.kind == Value::Kind::list ? "a list" : value.kind == Value::Kind::null ? "nothing" : "a text";
  problems_.add(value.place, fmt::format("`{}`: expected keys and values, found {}", what_, found));
}

const Value* MapReader::find(const std::string& key) {
  asked_.push_back(key);
  const auto entry = std::ranges::find(value_.entries, key, &Value::Entry::key);
  if (entry == value_.entries.end()) return nullptr;
  if (entry->value.kind != Value::Kind::null) return &entry->value;
  if (std::ranges::count(asked_, key) == 1)
    problems_.add(entry->place, fmt::format("`{}` has no value", key), "give it one or remove the line");
  return nullptr;
}

const Value* MapReader::find_given(const std::string& key) {
  const Value* value = find(key);
  return value && is_word(*value, "none") ? nullptr : value;
}

const Value* MapReader::find_given_block(const std::string& key) {
  const Value* value = find_given(key);
  const std::vector<std::string> words{"none"};
  if (!value || value->kind != Value::Kind::scalar || !nearest(value->text, words)) return value;
  problems_.add(value->place, fmt::format("`{}`: unknown word {}", key, in_quotes(value->text)), "did you mean `none`?");
  return nullptr;
}

bool MapReader::has(const std::string& key) const {
  return std::ranges::find(value_.entries, key, &Value::Entry::key) != value_.entries.end();
}

const Value* MapReader::require(const std::string& key, const std::string& hint) {
  if (!has(key)) missing_.push_back({key, hint});
  return find(key);
}

bool MapReader::refuse_other_keys() {
  std::ranges::sort(asked_);
  asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());
  const std::string where = what_.empty() ? "" : fmt::format(" in `{}`", what_);
  bool good = true;
  for (const Value::Entry& entry : value_.entries) {
    if (std::ranges::count(asked_, entry.key)) continue;
    good = false;
    const auto right = nearest(entry.key, asked_);
    problems_.add(
        entry.place, "unknown key " + in_quotes(entry.key) + where,
        right ? fmt::format("did you mean `{}`?", *right) : fmt::format("known here: {}", fmt::join(asked_, ", ")));
    std::erase_if(missing_, [&](const Missing& missing) { return missing.key == right; });
  }
  if (!is_map()) return false;
  for (const Missing& missing : missing_)
    problems_.add(value_.place, fmt::format("`{}` is missing{}", missing.key, where), missing.hint);
  return good && missing_.empty();
}

std::string MapReader::path(const Value& value) const {
  for (const Value::Entry& entry : value_.entries)
    if (&entry.value == &value) return what_.empty() ? entry.key : what_ + "." + entry.key;
  return what_;
}

Parsed<Placed<std::string>> placed_text_of(const Value& value) {
  return text_of(value).map([&](std::string text) { return Placed<std::string>{std::move(text), value.place}; });
}

std::string path_of(const Placed<std::string>& text) {
  return (std::filesystem::path(text.place.file).parent_path() / text.value).lexically_normal().string();
}

std::vector<Placed<std::string>> texts_of(const Value& value, const std::string& what, Problems& problems) {
  std::vector<Placed<std::string>> texts;
  if (value.kind != Value::Kind::list) {
    const bool is_text = value.kind == Value::Kind::scalar;
    problems.add(value.place,
                 fmt::format("`{}`: expected a list, found {}", what,
                             is_text ? "the text " + in_quotes(value.text) : "keys and values"),
                 is_text ? "write a list: " + as_list(value.text) : "");
    return texts;
  }
  for (const Value& item : value.items) {
    if (auto text = placed_text_of(item)) texts.push_back(std::move(*text));
    else problems.add(item.place, fmt::format("`{}`: {}", what, text.error().message), text.error().hint);
  }
  return texts;
}

}  // namespace bisectd::configs
