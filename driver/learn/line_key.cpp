#include "driver/learn/line_key.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <cstdlib>
#include <map>

namespace bisectd::driver::learn {
namespace {

constexpr std::size_t kKeyFrom = 400;  ///< bytes before a number in which its key is looked for

/// The text's last part, and the parts before it with blanks between them.
std::pair<std::string, std::string> last_part(std::string_view text) {
  static const re2::RE2 part(R"((?s)(.*?)(?:[:=,;|\\\[\](){}"'<>\x02*]|[.?!][\t-\r ]|[\t-\r ]{2,}|[\t-\r ]-[\t-\r ]|\t))",
                             re2::RE2::Latin1);
  if (text.size() > 1 && text[0] == '-' && is_space(text[1])) text.remove_prefix(2);
  std::string before;
  re2::StringPiece rest = piece(text), found;
  while (re2::RE2::Consume(&rest, part, &found)) before.append(before.empty() ? "" : " ").append(found.data(), found.size());
  return {std::string(rest.data(), rest.size()), before};
}

/// Without what stands between a key and its number: ": ", "=[", " is ".
std::string_view without_copula(std::string_view text) {
  static const re2::RE2 copula(R"(((?:[\t-\r :=\[({"'<|*]|为|是| (?:is|was|to|at|of))+)$)", re2::RE2::Latin1);
  re2::StringPiece found;
  if (re2::RE2::PartialMatch(piece(text), copula, &found)) text.remove_suffix(found.size());
  return text;
}

/// Without the unit of the number before: "ms, loss: " begins with one.
std::string_view without_unit(std::string_view gap) {
  static const re2::RE2 unit(R"((?: ?)(?:[A-Za-z]+/[A-Za-z/]+|ms|[KMGT]i?B|secs?|seconds?|s))", [] {
    re2::RE2::Options options;
    options.set_longest_match(true);
    return options;
  }());
  re2::StringPiece found;
  if (!unit.Match(piece(gap), 0, gap.size(), re2::RE2::ANCHOR_START, &found, 1)) return gap;
  std::string_view rest = gap.substr(found.size());
  const std::string_view word = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  const bool separated = word.empty() ? rest.empty() : std::string_view(",;|)]").find(word[0]) != std::string_view::npos;
  const bool next_key = !word.empty() && word.size() < rest.size() &&
                        std::isalpha(static_cast<unsigned char>(word[0])) != 0 && !word.starts_with("is ") &&
                        !word.starts_with("was ");
  return separated || next_key ? rest : gap;
}

}  // namespace

Key key_behind(std::string_view gap, bool first) {
  static const re2::RE2 pair(R"(\(\s*["']([^"'()]+)["']\s*,\s*$)");  // ('loss', 2.3)
  static const re2::RE2 remark(R"( \([a-z]+ [a-z ]+\))");            // loss (for one batch) at step
  static const re2::RE2 level(R"(^(?:INFO|DEBUG|WARN(?:ING)?|ERROR|NOTICE|I)\s+)");
  if (gap.size() > kKeyFrom) gap.remove_prefix(gap.size() - kKeyFrom);
  re2::StringPiece found;
  if (re2::RE2::PartialMatch(piece(gap), pair, &found)) return {std::string(found.data(), found.size()), ""};
  std::string text(first ? gap : without_unit(gap));
  re2::RE2::GlobalReplace(&text, remark, "");
  std::string_view body = without_copula(text);
  std::string inner;
  if (body.ends_with(')') && body.find('(') != std::string_view::npos) {  // Epoch(train) [1]: Epoch, and the word train
    inner = body.substr(body.rfind('('));
    body = body.substr(0, body.rfind('('));
  }
  auto [key, words] = last_part(boost::trim_copy(std::string(body)));
  boost::trim_if(key, [](char c) { return std::string_view(" .-#$@").find(c) != std::string_view::npos; });
  re2::RE2::Replace(&key, level, "");
  if (key.empty() && boost::trim_copy(text) == "(") key = "()";
  return {key, words + " " + inner};
}

void split_key(std::vector<std::string>& keys, std::string& key) {
  static const re2::RE2 about(R"((?i)^(.*(?:loss|损失).*?)\s+(?:at|of|in|for|after|on)\s+(?:the\s+)?(\S.*)$)");
  const auto said = std::ranges::find_if(keys.rbegin(), keys.rend(), [](const std::string& one) { return !one.empty(); });
  std::string& before = said == keys.rend() ? keys.front() : *said;
  std::string loss, other;
  if (!re2::RE2::FullMatch(before, about, &loss, &other)) return;
  key = loss;
  before = other;
}

std::string next_in_list(std::string& before) {
  if (!before.ends_with(']')) before += "[0]";
  const std::size_t open = before.rfind('[');
  const int at = std::atoi(before.c_str() + open + 1);
  return fmt::format("{}[{}]", before.substr(0, open), at + 1);
}

std::vector<std::string> all_different(std::vector<std::string> keys) {
  std::map<std::string, int> seen;
  for (std::size_t at = 0; at < keys.size(); ++at) {
    std::string& key = keys[at];
    if (key == "()" && at > 0) key = keys[at - 1] + "()";  // loss: 6.98 (7.12): the second is about the first
    if (key.empty()) key = "#";
    const int often = ++seen[key];
    if (key == "#" || often > 1) key += (key == "#" ? "" : "#") + std::to_string(often);
  }
  return keys;
}

}  // namespace bisectd::driver::learn
