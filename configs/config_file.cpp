#include "configs/config_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "configs/printable.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

using Document = nlohmann::json;

constexpr std::size_t kMostKeys = 10'000;  // that are looked through for the nearest one
constexpr int kDeepestAlias = 64;          // an alias may hold itself
constexpr const char* kElsewhere = "write it in one line, as a word, a number or a list of names in brackets";

bool is_yaml(const std::string& file) { return file.ends_with(".yaml") || file.ends_with(".yml"); }
bool is_toml(const std::string& file) { return file.ends_with(".toml"); }

tl::unexpected<Fault> fault(std::string message, std::string hint = "") {
  return tl::unexpected(Fault{std::move(message), std::move(hint)});
}

/// Thrown within this file only, where what stands there cannot be replaced.
struct NotInOnePlace : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The end of the quoted text that begins at `at`.
std::size_t end_of_quoted(std::string_view text, std::size_t at, bool escapes) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (escapes && text[i] == '\\') ++i;
    else if (text[i] == quote && !escapes && text.substr(i + 1).starts_with(quote)) ++i;
    else if (text[i] == quote) return i + 1;
  }
  throw NotInOnePlace("its quotes are never closed");
}

/// Behind white space, comments and, within brackets, commas.
std::size_t behind_blanks(std::string_view text, std::size_t at, bool commas = false) {
  while (at < text.size()) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size());
    else if (std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos || (commas && text[at] == ',')) ++at;
    else break;
  }
  return at;
}

std::size_t place_of(const YAML::Node& node) { return static_cast<std::size_t>(std::max(node.Mark().pos, 0)); }

/// The end of a scalar of YAML that begins at `at`.
std::size_t end_of_scalar(std::string_view text, std::size_t at, const YAML::Node& node) {
  if (at >= text.size()) throw NotInOnePlace("it stands elsewhere");
  if (text[at] == '"' || text[at] == '\'') return end_of_quoted(text, at, text[at] == '"');
  const std::string& plain = node.Scalar();
  if (!text.substr(at).starts_with(plain)) throw NotInOnePlace("it is a text of several lines");
  return at + plain.size();
}

/// The word that null is written by at `at`; nothing where nothing is written.
std::string_view null_at(std::string_view text, std::size_t at) {
  for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
    const std::string_view rest = text.substr(std::min(at, text.size()));
    if (rest.starts_with(word) &&
        (rest.size() == word.size() || std::string_view(" \t\r\n,]}#").find(rest[word.size()]) != std::string_view::npos))
      return word;
  }
  return "";
}

Value scalar_of(const YAML::Node& node) {
  return {.kind = Value::Kind::scalar, .text = node.Scalar(), .quoted = node.Tag() != "?"};
}

/// A list of scalars; its end in the text.
std::size_t read_list(std::string_view text, const YAML::Node& list, Value& value) {
  const std::size_t begin = place_of(list);
  const bool brackets = text.substr(std::min(begin, text.size())).starts_with('[');
  std::size_t end = begin + (brackets ? 1 : 0);
  for (const YAML::Node& item : list) {
    if (!item.IsScalar() || place_of(item) < end) throw NotInOnePlace("its items are not all names");
    end = end_of_scalar(text, place_of(item), item);
    value.items.push_back(scalar_of(item));
  }
  if (!brackets) return end;
  end = behind_blanks(text, end, true);
  if (!text.substr(std::min(end, text.size())).starts_with(']')) throw NotInOnePlace("its items are not all names");
  return end + 1;
}

ValueInFile read_value(std::string_view text, const YAML::Node& key, const YAML::Node& node) {
  ValueInFile found;
  found.begin = behind_blanks(text, end_of_scalar(text, place_of(key), key));
  if (!text.substr(std::min(found.begin, text.size())).starts_with(':')) throw NotInOnePlace("no colon is behind its key");
  found.end = ++found.begin;
  const std::size_t at = behind_blanks(text, found.begin);
  if (node.IsNull()) {
    found.end = std::max(found.begin, at + null_at(text, at).size());
    if (null_at(text, at).empty()) found.end = found.begin;
    return found;
  }
  if (at < text.size() && std::string_view("&*!|>").find(text[at]) != std::string_view::npos)
    throw NotInOnePlace("an anchor, an alias, a tag or a text of several lines begins there");
  found.is_list = node.IsSequence();
  if (found.is_list) {
    found.value.kind = Value::Kind::list;
    found.end = read_list(text, node, found.value);
  } else if (node.IsScalar()) {
    found.value = scalar_of(node);
    found.end = end_of_scalar(text, place_of(node), node);
  } else {
    throw NotInOnePlace("it holds keys of its own");
  }
  return found;
}

/// All keys that a file has, and where the wanted one is.
struct Keys {
  const std::string& wanted;
  std::vector<std::string> all;
  std::vector<std::pair<YAML::Node, YAML::Node>> found;

  void look(const YAML::Node& node, const std::string& path, int depth = 0) {
    const std::string before = path.empty() ? "" : path + ".";
    std::size_t number = 0;
    for (auto entry = node.begin(); entry != node.end() && all.size() < kMostKeys; ++entry) {
      const bool in_map = node.IsMap();
      if (in_map && !entry->first.IsScalar()) continue;
      const std::string full = before + (in_map ? entry->first.Scalar() : std::to_string(number++));
      if (in_map) all.push_back(full);
      if (in_map && full == wanted) found.emplace_back(entry->first, entry->second);
      const YAML::Node child = in_map ? entry->second : static_cast<const YAML::Node&>(*entry);
      if (depth < kDeepestAlias && (child.IsMap() || child.IsSequence())) look(child, full, depth + 1);
    }
  }
};

Fault missing(const std::string& file, const std::string& key, const std::vector<std::string>& all) {
  const auto right = nearest(key, all);
  return {fmt::format("{} has no key {}", in_quotes(file), in_quotes(key)),
          right ? fmt::format(
                      "did you mean `{}`? A key that is left out there must be added with the value that holds without it",
                      *right)
                : "add it there with the value that the training has without it"};
}

Parsed<ValueInFile> in_yaml(std::string_view text, const std::string& file, const std::string& key) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
  if (documents.size() != 1) return fault(fmt::format("{} holds {} documents", in_quotes(file), documents.size()));
  Keys keys{.wanted = key};
  keys.look(documents.front(), "");
  if (keys.found.empty()) return tl::unexpected(missing(file, key, keys.all));
  if (keys.found.size() > 1)
    return fault(fmt::format("{} has the key {} {} times", in_quotes(file), in_quotes(key), keys.found.size()));
  return read_value(text, keys.found.front().first, keys.found.front().second);
}

std::string without_quotes(std::string text) {
  boost::trim(text);
  std::erase_if(text, [](char c) { return c == '"' || c == '\'' || c == ' '; });
  return text;
}

Parsed<ValueInFile> in_toml(std::string_view text, const std::string& file, const std::string& key) {
  std::vector<std::string> all;
  std::optional<ValueInFile> found;
  std::string table;
  std::string_view open;  // of a text of several lines
  for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
    next = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, next - at);
    if (!open.empty()) {
      if (line.find(open) != std::string_view::npos) open = "";
      continue;
    }
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t equals = line.find('=');
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (line[first] == '[' && equals == std::string_view::npos) {
      const std::size_t close = std::min(line.find(']'), line.size());
      table = without_quotes(std::string(line.substr(first + 1, close - first - 1)));
      continue;
    }
    if (equals == std::string_view::npos) continue;
    const std::string_view value = line.substr(std::min(line.find_first_not_of(" \t", equals + 1), line.size()));
    for (const std::string_view quotes : {"\"\"\"", "'''"})
      if (value.starts_with(quotes) && value.find(quotes, 3) == std::string_view::npos) open = quotes;
    all.push_back((table.empty() ? "" : table + ".") + without_quotes(std::string(line.substr(first, equals - first))));
    if (all.back() != key) continue;
    if (found) return fault(fmt::format("{} has the key {} twice", in_quotes(file), in_quotes(key)));
    if (!open.empty() || value.starts_with('{')) throw NotInOnePlace("it is not one word, number or list");
    // What stands there means in YAML what it means here.
    constexpr std::string_view kBefore = "x: ";
    const std::string as_yaml = std::string(kBefore) + std::string(value);
    const YAML::Node node = YAML::Load(as_yaml);
    found = read_value(as_yaml, node.begin()->first, node.begin()->second);
    found->end += static_cast<std::size_t>(value.data() - text.data()) - kBefore.size();
    found->begin = at + equals + 1;
  }
  if (!found) return tl::unexpected(missing(file, key, all));
  return *found;
}

/// A number that every reader takes for one: YAML 1.1 wants 1.0e-5, for 1e-5 is a text.
std::string number_for_all(std::string text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string::npos) return text;
  if (text[e + 1] != '+' && text[e + 1] != '-') text.insert(e + 1, "+");
  if (text.find('.') == std::string::npos) text.insert(e, ".0");
  return text;
}

bool is_plain_in_yaml(std::string_view text) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  return !text.empty() && is_word(text[0]) && std::ranges::all_of(text, [&](char c) {
    return is_word(c) || std::string_view("._+-/").find(c) != std::string_view::npos;
  });
}

}  // namespace

Parsed<std::string> check_config_file(const std::string& file) {
  if (is_yaml(file) || is_toml(file) || file.ends_with(".json")) return file;
  return fault(fmt::format("{} is no configuration file that can be copied with other values", in_quotes(file)),
               "known: .yaml, .yml, .json, .toml");
}

Parsed<ValueInFile> value_in_file(const std::string& content, const std::string& file, const std::string& key) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t mark = content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view text = std::string_view(content).substr(mark);
  try {
    auto found = is_toml(file) ? in_toml(text, file, key) : in_yaml(text, file, key);
    if (found) found->begin += mark, found->end += mark;
    return found;
  } catch (const YAML::Exception& error) {
    return fault(fmt::format("{} cannot be read: {}", in_quotes(file), error.what()));
  } catch (const NotInOnePlace& why) {
    return fault(fmt::format("the value of {} in {} cannot be replaced: {}", in_quotes(key), in_quotes(file), why.what()),
                 kElsewhere);
  }
}

bool is_typed(const std::string& text) {
  const Document parsed = Document::parse(boost::to_lower_copy(text), nullptr, false);
  return parsed.is_number() || parsed.is_boolean() || parsed.is_null();
}

Parsed<std::string> written_in_file(const Value& value, const std::string& file) {
  if (value.quoted) return Document(value.text).dump();
  const std::string lower = boost::to_lower_copy(value.text);
  if (lower == "null" && is_toml(file)) return fault("TOML has no null");
  if (is_typed(lower)) return Document::parse(lower).is_number() ? number_for_all(lower) : lower;
  if (is_yaml(file) && is_plain_in_yaml(value.text)) return value.text;
  return Document(value.text).dump();
}

std::string text_in_file(const std::string& text) { return Document(text).dump(); }

std::string list_in_file(const std::vector<std::string>& names) { return Document(names).dump(); }

std::string with_values(std::string content, std::vector<Replacement> replacements) {
  std::ranges::sort(replacements, std::ranges::greater{}, &Replacement::begin);
  for (const auto& [begin, end, text] : replacements) content.replace(begin, end - begin, " " + text);
  return content;
}

}  // namespace bisectd::configs
