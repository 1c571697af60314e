#include "driver/learn/plain_lines.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace bisectd::driver::learn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostHeldBytes = 64 << 20;  ///< of one JSON document
constexpr int kDeepest = 64;                      ///< of objects within objects

// Full-width signs, lines that are drawn, and spaces that are none to others.
constexpr std::array<std::pair<const char*, const char*>, 20> kWide{
    {{"：", ":"}, {"，", ","}, {"；", ";"},     {"＝", "="},     {"（", "("}, {"）", ")"}, {"【", "["},
     {"】", "]"}, {"［", "["}, {"］", "]"},     {"｛", "{"},     {"｝", "}"}, {"％", "%"}, {"／", "/"},
     {"｜", "|"}, {"│", "|"},  {"\u3000", " "}, {"\u00a0", " "}, {"┃", "|"},  {"║", "|"}}};

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Without colours; a place to which the cursor moved back begins a line, as what stood there was shown.
std::string without_escapes(std::string_view text) {
  static const re2::RE2 moved(R"(\x1b\[\d*[ABEFGH]|\x08{2,})");
  static const re2::RE2 escape(R"(\x1b\[[0-9;?]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78])");
  std::string plain(text);
  re2::RE2::GlobalReplace(&plain, moved, "\n");
  re2::RE2::GlobalReplace(&plain, escape, "");
  std::string erased;
  for (const char c : plain) {
    if (c != '\b') erased += c;
    else if (!erased.empty() && erased.back() != '\n') erased.pop_back();
  }
  return erased;
}

/// A line's end behind each progress bar that something else stands behind without a separator.
std::string with_bars_ended(std::string_view line) {
  static const re2::RE2 end_of_bar(R"((\|[^|]{0,300}\|\s*\d+/\d+\s*\[[^\]]*\])\s*)");
  std::string text;
  re2::StringPiece rest(line.data(), line.size());
  re2::StringPiece bar;
  while (true) {
    const char* begin = rest.data();
    if (!re2::RE2::FindAndConsume(&rest, end_of_bar, &bar)) break;
    text.append(begin, bar.data() + bar.size());
    const bool goes_on = rest.empty() || std::string_view(",:;)]|-").find(rest[0]) != std::string_view::npos;
    text += goes_on ? "" : "\n";
    if (goes_on) text.append(bar.data() + bar.size(), rest.data());
  }
  return text.append(rest.data(), rest.size());
}

bool is_opening(std::string_view line) {
  if (line.back() == '[' || line.back() == '{') {
    std::string_view before = line.substr(0, line.size() - 1);
    before = before.substr(0, before.find_last_not_of(" \t") + 1);
    if (before.empty() || std::string_view(":[,(").find(before.back()) != std::string_view::npos) return true;
  }
  return line[0] == '{' && line.find_first_of("{}", 1) == std::string_view::npos;
}

/// May it stand within a JSON document of many lines?
bool is_inside(std::string_view line) {
  static const re2::RE2 inside(R"(["'\]{}]|\[(?:$|[\s\["'{\d.-])|[-+\w.]+["']?,?$)");
  return re2::StringPiece(line.data(), line.size()).size() > 0 &&
         inside.Match(re2::StringPiece(line.data(), line.size()), 0, line.size(), re2::RE2::ANCHOR_START, nullptr, 0);
}

int depth_of(std::string_view line) {
  int depth = 0;
  for (const char c : line) depth += (c == '{' || c == '[') - (c == '}' || c == ']');
  return depth;
}

void append_fields(const Json& object, const std::string& path, int depth, std::string& text) {
  for (const auto& [key, item] : object.items()) {
    const std::string name = path.empty() ? key : path + "/" + key;
    const Json* scalar = &item;
    if (item.is_object()) {
      if (depth < kDeepest) append_fields(item, name, depth + 1, text);
      continue;
    }
    if (item.is_array()) {
      if (item.size() != 1 || item[0].is_structured()) continue;
      scalar = &item[0];
    }
    text += (text.empty() ? "\"" : ", \"") + name + "\": " + scalar->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void take_object(const Json& object, const PlainLines::Take& take) {
  std::string text;
  append_fields(object, "", 0, text);
  take("{" + text + "}");
}

/// Each record of a document as one line: {"a": 1, "b": [{...}, {...}]} is three.
void take_records(const Json& value, int depth, const PlainLines::Take& take) {
  if (depth > kDeepest) return;
  if (value.is_array())
    for (const Json& item : value) take_records(item, depth + 1, take);
  if (!value.is_object()) return;
  std::vector<std::pair<std::string, const Json*>> lists, columns;
  for (const auto& [key, item] : value.items())
    if (item.is_array() && item.size() > 2) {
      lists.emplace_back(key, &item);
      if (!item[0].is_structured()) columns.emplace_back(key, &item);
    }
  const auto as_long = [&](const auto& column) { return column.second->size() == columns[0].second->size(); };
  if (2 * columns.size() > value.size() && std::ranges::all_of(columns, as_long)) {  // {"loss": [...], "step": [...]}
    for (std::size_t row = 0; row < columns[0].second->size(); ++row) {
      Json record = Json::object();
      for (const auto& [key, column] : columns) record[key] = (*column)[row];
      take_object(record, take);
    }
    return;
  }
  take_object(value, take);
  for (const auto& [key, list] : lists) take_records(*list, depth + 1, take);
}

/// The line of a log that a container's runtime wrapped: {"log": "step 1 loss 2.3\n", "stream": "stdout"}.
std::optional<std::string> wrapped_text(std::string_view line) {
  const Json value = parsed_json(line);
  if (!value.is_object() || value.empty()) return std::nullopt;
  std::string longest;
  for (const Json& item : value) {
    if (!item.is_string()) return std::nullopt;
    const auto& text = item.get_ref<const std::string&>();
    const auto rank = [](const std::string& one) {
      return std::pair(one.find_first_of("\n\r\x1b\b") != one.npos, one.size());
    };
    if (rank(text) > rank(longest)) longest = text;
  }
  const bool says = std::ranges::any_of(longest, [](unsigned char c) { return std::isalpha(c) != 0; }) ||
                    boost::trim_copy(longest).find_first_of(" \t") != std::string::npos;
  return says ? std::optional(longest) : std::nullopt;
}

}  // namespace

Json parsed_json(std::string_view text) {
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  static const re2::RE2 string_or_word(R"("(?:[^"\\]|\\.)*"|(-?(?:NaN|Infinity)))");
  std::string quoted;
  re2::StringPiece rest(text.data(), text.size()), word;
  const char* from = text.data();
  while (re2::RE2::FindAndConsume(&rest, string_or_word, &word)) {
    if (word.empty()) continue;
    quoted.append(from, word.data()).append('"' + std::string(word) + '"');
    from = word.end();
  }
  return quoted.empty() ? value : Json::parse(quoted.append(from, rest.end()), nullptr, false);
}

void PlainLines::feed(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\r"), text.size());
    if (end > 0) take_line(text.substr(0, end), take);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void PlainLines::finish(std::string_view rest, const Take& take) {
  feed(rest, take);
  end_document(take);
}

void PlainLines::take_line(std::string_view raw, const Take& take) {
  std::string changed;
  if (raw.find_first_of("\x1b\b") != std::string_view::npos) raw = changed = without_escapes(raw);
  if (!is_ascii(raw)) {
    std::string narrow(raw);
    for (const auto& [wide, sign] : kWide) boost::replace_all(narrow, wide, sign);
    boost::replace_all(narrow, "\ufeff", "");
    raw = changed = std::move(narrow);
  }
  const std::size_t bar = raw.find('|'), times = raw.rfind('[');  // |###  | 5/60 [00:01<00:11,  5.1it/s]
  if (bar != std::string_view::npos && times != std::string_view::npos && bar < times) raw = changed = with_bars_ended(raw);
  const std::string kept(raw.find('\n') == std::string_view::npos ? std::string_view() : raw);
  if (!kept.empty()) {  // one line became several
    for (std::size_t start = 0; start < kept.size();) {
      const std::size_t end = std::min(kept.find('\n', start), kept.size());
      if (end > start) take_line(std::string_view(kept).substr(start, end - start), take);
      start = end + 1;
    }
    return;
  }
  const std::string_view line = raw.substr(0, raw.find_last_not_of(" \t\v\f") + 1);
  if (line.empty()) return;
  const std::string_view bare = line.substr(line.find_first_not_of(" \t\v\f"));
  if (!held_.empty()) {
    if (is_inside(bare) && held_bytes_ < kMostHeldBytes) {
      held_.emplace_back(bare);
      held_bytes_ += bare.size();
      depth_ += depth_of(bare);
      if (depth_ <= 0) end_document(take);
      return;
    }
    end_document(take);
  }
  if (is_opening(bare)) {
    held_ = {std::string(bare)};
    held_bytes_ = bare.size();
    depth_ = depth_of(bare);
    return;
  }
  if (bare[0] != '{') return take(line);
  if (bare.find('\\') != std::string_view::npos)
    if (const auto inside = wrapped_text(bare)) return feed(*inside, take);
  if (bare.find('{', 1) == std::string_view::npos && bare.find('[') == std::string_view::npos) return take(line);
  if (const Json value = parsed_json(bare); !value.is_discarded()) take_records(value, 0, take);
  else take(line);
}

void PlainLines::end_document(const Take& take) {
  if (held_.empty()) return;
  const std::vector<std::string> lines = std::exchange(held_, {});
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : " ") + line;
  if (const Json value = parsed_json(std::string_view(text).substr(text.find_first_of("[{"))); !value.is_discarded())
    return take_records(value, 0, take);
  static const re2::RE2 innermost(R"((\{[^{}]*\}))");
  re2::StringPiece rest(text), object;
  bool any = false;
  while (re2::RE2::FindAndConsume(&rest, innermost, &object)) {
    any = true;
    take(std::string_view(object.data(), object.size()));
  }
  if (!any)
    for (const std::string& line : lines) take(line);
}

}  // namespace bisectd::driver::learn
