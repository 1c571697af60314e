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

const Value* MapReader::find_for(const KeyFacts& key) {
  const Value* value = key.required ? require(key.name, *key.required) : find(key.name);
  if (!value || !key.none || value->kind != Value::Kind::scalar) return value;
  const bool is_none = is_word(*value, "none");
  if (!is_none && (!key.shape.block || !nearest(value->text, std::vector<std::string>{"none"}))) return value;
  taken_away_.push_back(key.name);
  if (!is_none)
    problems_.add(value->place, fmt::format("`{}`: unknown word {}", path_to(key.name), in_quotes(value->text)),
                  "did you mean `none`?");
  return nullptr;
}

const Value* MapReader::given(const std::string& key) { return std::ranges::count(taken_away_, key) ? nullptr : find(key); }

void MapReader::refuse(const std::vector<std::string>& keys, const char* message, const std::string& hint) {
  for (const std::string& key : keys)
    if (const Value* value = given(key))
      problems_.add(value->place, fmt::format(fmt::runtime(message), fmt::arg("key", key), fmt::arg("what", what_)), hint);
}

bool MapReader::is_one_of(const OneOf& one_of) {
  std::vector<const Value*> there;
  for (const std::string& way : one_of.ways) {
    const bool pair = !one_of.with.empty() && way == one_of.with.front();
    for (const std::string& key : pair ? one_of.with : std::vector<std::string>{way})
      if (const Value* value = given(key)) {
        there.push_back(value);
        break;
      }
  }
  if (one_of.ways.empty() || there.size() == 1) return true;
  const std::string last = "`" + one_of.ways.back() + "`",
                    first = fmt::format("`{}`", fmt::join(one_of.ways.begin(), one_of.ways.end() - 1, "`, `"));
  const bool two = one_of.ways.size() == 2;
  const std::string choice = !one_of.choice.empty() ? one_of.choice
                             : two                  ? fmt::format("either {} or {}", first, last)
                                                    : fmt::format("one of {} and {}", first, last);
  problems_.add(one_of.at_second && there.size() > 1 ? there[1]->place : value_.place,
                fmt::format("`{}` needs {}", what_, choice), one_of.hint);
  return false;
}

bool MapReader::has(const std::string& key) const {
  return std::ranges::find(value_.entries, key, &Value::Entry::key) != value_.entries.end();
}

const Value* MapReader::require(const std::string& key, const std::string& hint) {
  if (!has(key)) missing_.push_back({key, hint});
  return find(key);
}

bool MapReader::refuse_other_keys(const OneOf& one_of) {
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
  return good && is_one_of(one_of) && missing_.empty();
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
