#include "driver/learn/line_parser.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <optional>

#include "driver/learn/line_key.hpp"
#include "driver/learn/words.hpp"

namespace bisectd::driver::learn {
namespace {

constexpr char kBetween = '\x1f';  ///< the texts of a sign

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Is there one of "%|", "[=", a drawn block?
bool may_draw(std::string_view line) {
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    const char c = line[at], next = line[at + 1];
    if (c == '%' && (next == '|' || (next == ' ' && at + 2 < line.size() && line[at + 2] == '|'))) return true;
    if (c == '[' && (next == '=' || next == '>' || next == '#' || next == '.')) return true;
    if (c == '\xe2' && next >= '\x94' && next <= '\x96') return true;
  }
  return false;
}

/// With '\x02' in the place of each bar.
std::string without_bars(std::string_view line) {
  static const re2::RE2 behind_percent("(%\\s?)\\|[\\s█▏▎▍▌▋▊▉#░▒▓=>_.\\-]*\\|");
  static const re2::RE2 blocks("\\|[ █▏▎▍▌▋▊▉]*[█▏▎▍▌▋▊▉][ █▏▎▍▌▋▊▉]*\\||[━╸╺╍█▏▎▍▌▋▊▉░▒▓■□]{2,}");
  static const re2::RE2 signs("\\[[-\\s]*[=>#.█][=>.#\\-\\s█]{2,}\\]|\\[[=>.#\\-\\s█]{2,}[=>#.█][-\\s]*\\]");
  std::string text(line);
  re2::RE2::GlobalReplace(&text, behind_percent, "\\1\x02");
  re2::RE2::GlobalReplace(&text, blocks, "\x02");
  re2::RE2::GlobalReplace(&text, signs, "\x02");
  return text;
}

/// What stands before a progress bar.
std::string_view before_bar(std::string_view line) {
  static const re2::RE2 bar("(?:^|[^\\d.])(\\d+(?:\\.\\d+)?%\\s*\x02)");
  re2::StringPiece found;
  if (!re2::RE2::PartialMatch(piece(line), bar, &found)) return line;
  line = line.substr(0, static_cast<std::size_t>(found.data() - line.data()));
  return line.substr(0, line.find_last_not_of(": ") + 1);
}

struct Split {
  std::vector<std::string_view> gaps;        ///< one more than values
  std::vector<std::optional<Value>> values;  ///< absent: a time
};

Split find_all(std::string_view line) {
  Split all;
  std::size_t end = 0;
  for (auto found = find_value(line, 0); found; found = find_value(line, end)) {
    all.gaps.push_back(line.substr(end, found->begin - end));
    all.values.push_back(found->value);
    end = found->end;
  }
  all.gaps.push_back(line.substr(end));
  return all;
}

void append_collapsed(std::string& sign, std::string_view text) {
  bool blank = false, any = false;
  for (const char c : text) {
    if (is_space(c)) {
      blank = true;
      continue;
    }
    if (blank && any) sign += ' ';
    blank = false;
    any = true;
    sign += c;
  }
}

bool says_it_is(std::string_view gap) {
  static const re2::RE2 is(R"(\s*(?::|=|is|was))");
  return is.Match(piece(gap), 0, gap.size(), re2::RE2::ANCHOR_START, nullptr, 0);
}

std::unique_ptr<Shape> shape_of(const Split& found, bool in_bar, const std::string& sign) {
  static const re2::RE2 named(R"re((?i)(?:^|[^A-Za-z])(?:key|name|metric|tag)"?'?\s*[:=]\s*["']?([A-Za-z][\w/. -]*))re");
  std::vector<std::string> keys;
  std::string words;
  bool in_list = false;
  for (std::size_t at = 0; at < found.values.size(); ++at) {
    const std::string_view gap = found.gaps[at];
    auto [key, rest] = key_behind(gap, at == 0);
    words += rest + " ";
    if (!found.values[at]) {
      words += key + " ";
      continue;
    }
    const std::string trimmed = boost::trim_copy(std::string(gap));
    in_list = in_list && trimmed == "," && !keys.empty();
    if (in_list) key = next_in_list(keys.back());
    in_list = in_list || (!key.empty() && (trimmed.ends_with('[') || trimmed.ends_with('(')));
    if (key.empty() && !keys.empty() && says_it_is(gap)) split_key(keys, key);
    std::string name;
    if (lower(key) == "value" && re2::RE2::PartialMatch(sign, named, &name)) key = name;  // {"name": "loss", "value": 2.3}
    const Words said = words_of(key);
    if (keys.empty() && key.find(' ') != std::string::npos)  // Evaluating ppl 9.1
      for (const std::string& word : {key.substr(0, key.find(' ')), key.substr(key.find(' ') + 1)})
        if (const Words one = words_of(word.substr(0, word.find(' ')));
            says_validation(one) && only_training_or_validation(one))
          words += word.substr(0, word.find(' ')) + " ";
    if (found.values[at]->percent || (found.values[at]->whole && only_training_or_validation(said)))
      words += key + " ";  // Validation:  20%|, Test: [ 10/48]
    keys.push_back(key);
  }
  words += found.gaps.back();
  return std::make_unique<Shape>(Shape{sign, all_different(std::move(keys)), words, in_bar});
}

/// "step100", "[default3]:": apart, the number is one.
std::string with_numbers_apart(std::string_view line) {
  static const re2::RE2 joined(
      R"((?i)(^|[^A-Za-z])((?:local_|global_)?(?:rank|worker|gpu|npu|device|node|host|proc|process|card|epoch|step|iter|iteration|batch))[_-]?(\d+)([^\w.]|$))");
  static const re2::RE2 tag(R"(^\[[A-Za-z_]+(\d+)\]([:\s]))");
  std::string text(line);
  re2::RE2::Replace(&text, tag, R"([rank \1]\2)");
  for (int again = 0; again < 2 && re2::RE2::GlobalReplace(&text, joined, R"(\1\2 \3\4)") > 0; ++again) {
  }
  return text;
}

// --- Tables ----------------------------------------------------------------------------------------------------------

std::pair<char, std::vector<std::string_view>> cells_of(std::string_view line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  char mark = ' ';
  if (std::ranges::count(line, '|') > 1) {
    mark = '|';
    while (line.starts_with('|')) line.remove_prefix(1);
    while (line.ends_with('|')) line.remove_suffix(1);
  } else {
    for (const char one : {';', ',', '\t'})
      if (line.find(one) != std::string_view::npos) mark = one;
  }
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t end = mark == ' ' ? line.find_first_of(" \t", at) : line.find(mark, at);
    end = std::min(end, line.size());
    std::string_view cell = line.substr(at, end - at);
    while (!cell.empty() && is_space(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_space(cell.back())) cell.remove_suffix(1);
    if (mark != '|' && mark != ' ' && cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    if (mark != ' ' || !cell.empty()) cells.push_back(cell);
    at = end + 1;
  }
  return {mark, cells};
}

bool is_column_name(std::string_view cell) {
  static const re2::RE2 name(R"((?:[A-Za-z_]|[^\x00-\x7F])(?:[\w ./()%@+#-]|[^\x00-\x7F]){0,48}:?)");
  return re2::RE2::FullMatch(piece(cell), name);
}

bool is_simple_word(std::string_view cell) {
  return std::ranges::all_of(
      cell, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-'; });
}

}  // namespace

const Shape* LineParser::parse(std::string_view line, std::vector<Value>& values) {
  values.clear();
  std::string drawn, changed;
  bool in_bar = false;
  if (may_draw(line)) {
    drawn = without_bars(line);
    in_bar = drawn != line;
    line = drawn;
  }
  const Shape* shape = headers_.empty() && header_.mark == 0 ? nullptr : parse_row(line, in_bar, values);
  if (!shape) {
    values.clear();
    const bool has_call = line.find('(') != std::string_view::npos;
    if (has_call &&
        (line.find("ensor(") != line.npos || line.find("rray(") != line.npos || line.find("float") != line.npos)) {
      static const re2::RE2 tensor(
          R"(\b\w*(?:[Tt]ensor|[Aa]rray|float\d+)\((?:[^()]*?\bvalue\s*=)?\s*\[*\s*([^\s,()\[\]]+)[^()]*(?:\([^()]*\))?[^()]*\))");
      changed = line;
      re2::RE2::GlobalReplace(&changed, tensor, R"(\1)");
      line = changed;
    }
    if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      static const re2::RE2 nth(  // 第100步
          R"((?i)(^|[^\w.])(?:第\s*(\d+)\s*个?\s*|(\d+)个?)(步|轮|次|代|批|epoch|step|batch|iter)([^a-z_数长]|$))");
      std::string named(line);
      re2::RE2::GlobalReplace(&named, nth, R"(\1 \4 \2\3 \5)");
      changed = std::move(named);
      line = changed;
    }
    shape = parse_text(line, in_bar, values);
  }
  if (values.empty() || in_bar) look_for_header(in_bar ? before_bar(line) : line);
  return values.empty() ? nullptr : shape;
}

const Shape* LineParser::parse_text(std::string_view line, bool in_bar, std::vector<Value>& values) {
  const Split found = find_all(line);
  sign_.clear();
  for (const std::string_view gap : found.gaps) {
    append_collapsed(sign_, gap);
    sign_ += kBetween;
  }
  for (const auto& value : found.values) sign_ += value ? "" : "t";
  const auto known = shapes_.find(sign_);
  if (known == shapes_.end()) {
    const std::string apart = with_numbers_apart(line);
    if (apart != line) return parse_text(apart, in_bar, values);
  }
  for (const auto& value : found.values)
    if (value) values.push_back(*value);
  if (known != shapes_.end()) return known->second.get();
  return (shapes_[sign_] = shape_of(found, in_bar, sign_)).get();
}

void LineParser::look_for_header(std::string_view line) {
  std::string_view text = line;
  while (text.starts_with('#') || text.starts_with(' ')) text.remove_prefix(1);
  const auto [mark, cells] = cells_of(text);
  const bool spaced = boost::trim_copy(std::string(line)).find("  ") != std::string::npos;
  bool names = cells.size() > 1 + static_cast<std::size_t>(mark == ' ' && !spaced);
  for (std::size_t at = 0; names && at < cells.size(); ++at)
    names = is_column_name(cells[at]) || (cells[at].empty() && at == 0);
  if (names) {
    header_ = {mark, {cells.begin(), cells.end()}};
    for (std::string& name : header_.names) boost::trim_right_if(name, [](char c) { return c == ':'; });
  } else if (std::ranges::any_of(line, [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; })) {
    header_ = {};
  }
}

const Shape* LineParser::parse_row(std::string_view line, bool in_bar, std::vector<Value>& values) {
  const std::string_view body = in_bar ? before_bar(line) : line;
  const auto [mark, cells] = cells_of(body);
  const bool below_header = header_.mark == mark && header_.names.size() == cells.size();
  const auto known = headers_.find({mark, cells.size()});
  if (!below_header && known == headers_.end()) return nullptr;
  const std::vector<std::string> names = below_header ? header_.names : known->second;
  if (cells.size() == 2 && !as_value(cells[0])) return nullptr;  // | loss | 2.3 | is a key and its value
  std::vector<std::size_t> wordy;
  std::vector<std::string> keys;
  std::string words;
  std::size_t filled = 0;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const auto found = as_value(cells[at]);
    if (!found && mark == ' ') wordy.push_back(at);
    if (found && found->value) {
      keys.push_back(names[at]);
      values.push_back(*found->value);
    } else if (found || is_simple_word(cells[at])) {
      filled += !found && !cells[at].empty();
      words += (found ? "" : std::string(cells[at])) + " ";
    } else {
      return nullptr;
    }
  }
  std::vector<std::string> table = names;
  table.push_back(std::string(1, mark));
  if (wordy_.emplace(table, wordy).first->second != wordy) return nullptr;
  const bool blanks = mark == ' ';
  if (values.size() < 1 + static_cast<std::size_t>(blanks) ||
      filled > (blanks ? 1 : std::max<std::size_t>(1, values.size())))
    return nullptr;
  if (below_header) {
    headers_[{mark, cells.size()}] = names;
    header_ = {};
  }
  const Shape* more = nullptr;
  std::vector<Value> behind;
  if (body.size() < line.size()) more = parse_text(line.substr(body.size()), in_bar, behind);
  std::string sign = fmt::format("table{}{}", kBetween, mark);
  for (const std::string& key : keys) sign += kBetween + key;
  sign += std::string("\x1e") + words + kBetween + (more ? more->sign : "");
  values.insert(values.end(), behind.begin(), behind.end());
  std::unique_ptr<Shape>& shape = shapes_[sign];
  if (!shape) {
    for (std::size_t at = 0; at < names.size(); ++at)
      for (const char* tag : {"name", "tag", "metric", "key"})
        if (lower(names[at]) == tag)
          for (std::string& key : keys)
            if (lower(key) == "value") key = cells[at];
    if (more) keys.insert(keys.end(), more->keys.begin(), more->keys.end());
    shape = std::make_unique<Shape>(Shape{sign, all_different(std::move(keys)), words, in_bar});
  }
  return shape.get();
}

}  // namespace bisectd::driver::learn
