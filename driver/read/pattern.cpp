#include "driver/read/pattern.hpp"

#include <fmt/format.h>
#include <re2/filtered_re2.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

// Places that are tried before RE2 searches for itself, whose time grows with the line's length only: a line of 64 KiB that
// is made of nothing but the text that a pattern begins with took 0.3 to 9 s, and takes 2 ms.
constexpr std::size_t kMostPlaces = 16;
constexpr std::int64_t kMostMemory = 8 << 20;
constexpr std::size_t kShortestPrefix = 2;
constexpr std::string_view kQuantifiers = "?*+{";

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_max_mem(kMostMemory);
  options.set_log_errors(false);
  return options;
}

[[noreturn]] void refuse_pattern(const std::string& written, std::string_view why) {
  throw std::invalid_argument(fmt::format("the pattern '{}' {}", written, why));
}

/// The pattern with nothing in place of "\b" and "\B": it matches no less. Absent: not to be told.
std::optional<std::string> without_boundaries(std::string_view written) {
  std::string rest;
  for (; !written.empty(); written.remove_prefix(std::min<std::size_t>(written.size(), written[0] == '\\' ? 2 : 1))) {
    const std::string_view item = written.substr(0, written[0] == '\\' ? 2 : 1);
    if (item == "\\Q") return std::nullopt;
    rest += item == "\\b" || item == "\\B" ? "(?:)" : item;  // what stands before and behind must not join
  }
  return rest;
}

/// What every match begins with. RE2 gives the least and the greatest text that an anchored match can be; what these two
/// have in common all matches have. It takes the match for the whole text, whose ends say "\b" where a line's middle may
/// not, and the other way round.
std::string common_prefix(const std::string& written) {
  constexpr int kLongest = 64;
  const auto freer = without_boundaries(written);
  if (!freer) return {};
  const re2::RE2 regex(*freer, options());
  std::string least;
  std::string greatest;
  if (!regex.ok() || !regex.PossibleMatchRange(&least, &greatest, kLongest)) return {};
  const auto differ = std::ranges::mismatch(least, greatest).in1;
  return {least.begin(), differ};
}

/// Whether every match begins with the first letter of the pattern, so that nothing in it looks at what stands before the
/// match: no "\\b" or "(?:a|b)" comes first.
bool begins_with_letter(std::string_view written) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
  return written.size() > 1 && kLetters.find(written[0]) != std::string_view::npos &&
         kQuantifiers.find(written[1]) == std::string_view::npos && written.find('|') == std::string_view::npos;
}

/// As text.rfind(what), for lines and a text of two bytes or more: without a call for each place.
std::size_t find_last(std::string_view text, std::string_view what) {
  const auto pair_at = [](const char* place) {
    std::uint16_t pair = 0;
    std::memcpy(&pair, place, sizeof pair);
    return pair;
  };
  const std::uint16_t first_two = pair_at(what.data());
  for (std::size_t end = text.size(); end >= what.size(); --end) {
    const std::size_t at = end - what.size();
    if (pair_at(text.data() + at) == first_two && text.substr(at, what.size()) == what) return at;
  }
  return std::string_view::npos;
}

/// RE2's own prefilter: without the right ones among certain texts ("atoms", in lower case) there is no match.
Needed needed_atoms(const std::string& pattern) {
  constexpr int kShortest = 3;
  re2::FilteredRE2 filter(kShortest);
  int id = 0;
  std::vector<std::string> atoms;
  filter.Add(pattern, options(), &id);
  filter.Compile(&atoms);
  const auto possible_with = [&](const std::vector<int>& found) {
    std::vector<int> possible;
    filter.AllPotentials(found, &possible);
    return !possible.empty();
  };
  // Other alphabets have letters that fold to several bytes; the sieve compares bytes.
  const auto is_ascii = [](const std::string& atom) {
    return std::ranges::all_of(atom, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  if (atoms.empty() || possible_with({}) || !std::ranges::all_of(atoms, is_ascii)) return {.any_line = true};
  std::vector<int> all(atoms.size());
  std::iota(all.begin(), all.end(), 0);
  const std::string* longest_required = nullptr;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    std::vector<int> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (!possible_with(others) && (longest_required == nullptr || longest_required->size() < atoms[i].size()))
      longest_required = &atoms[i];
  }
  if (longest_required != nullptr) return {.literals = {{.text = *longest_required, .ignore_case = true}}};
  Needed any_of;
  for (const std::string& atom : atoms) any_of.literals.push_back({.text = atom, .ignore_case = true});
  return any_of;
}

/// Index of the ']' that ends the class at the beginning of `text`; one that comes first stands for itself.
std::size_t class_end(std::string_view text) {
  std::size_t i = text.starts_with("[^") ? 2 : 1;
  if (text.substr(i).starts_with("]")) ++i;
  while (i < text.size() && text[i] != ']') i += text[i] == '\\' ? 2 : 1;
  return i;
}

/// Where the first ".*" is that stands between two halves, each a pattern by itself: greedy, outside of groups, and with
/// nothing in the pattern that reaches over both (alternatives, flags, quotations).
std::optional<std::size_t> place_between_halves(std::string_view written) {
  // Classes of names have brackets within brackets; after "\C" the rest may begin within a character.
  if (written.find("[:") != std::string_view::npos || written.find("\\C") != std::string_view::npos) return std::nullopt;
  int depth = 0;
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::string_view here = written.substr(i);
    if (here.starts_with("\\Q") || (here[0] == '|' && depth == 0)) return std::nullopt;
    if (here.starts_with("(?") && !here.starts_with("(?P<") && !here.starts_with("(?:")) return std::nullopt;
    if (here[0] == '\\') ++i;
    else if (here[0] == '[') i += class_end(here);
    else if (here[0] == '(') ++depth;
    else if (here[0] == ')') --depth;
    else if (here.starts_with(".*") && depth == 0 && !place) place = i;
  }
  if (!place || *place + 2 >= written.size() || kQuantifiers.find(written[*place + 2]) != std::string_view::npos)
    return std::nullopt;
  return place;
}

}  // namespace

// RE2 compares the letters that a pattern begins with faster than it runs through them, but only behind a "^"
// (tests/bench/reading.cpp: 40 % of a short part's time).
Pattern::Part::Part(const std::string& written, Begin begin)
    : cuts_off_(begin == Begin::here && begins_with_letter(written)),
      anchor_(begin == Begin::here ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED),
      regex_(std::make_unique<re2::RE2>(cuts_off_ ? "^(?:" + written + ")" : written, options())) {}

bool Pattern::Part::match(std::string_view text, std::size_t from, std::span<re2::StringPiece> pieces) const {
  if (cuts_off_) text.remove_prefix(std::exchange(from, 0));
  return regex_->Match({text.data(), text.size()}, from, text.size(), anchor_, pieces.data(),
                       static_cast<int>(pieces.size()));
}

Pattern::Pattern(const std::string& written, std::span<const std::string_view> groups,
                 std::span<const std::string_view> optional_groups)
    : anywhere_(written, Begin::anywhere) {
  const re2::RE2& regex = anywhere_.regex();
  if (!regex.ok())
    refuse_pattern(written,
                   fmt::format("is not RE2 syntax: {} (there is no look-around and no back-reference)", regex.error()));
  const auto& named = regex.NamedCapturingGroups();
  for (const std::string_view group : groups) {
    const auto found = named.find(std::string(group));
    if (found == named.end()) refuse_pattern(written, fmt::format("has no group (?P<{}>...)", group));
    numbers_.push_back(found->second);
  }
  for (const std::string_view group : optional_groups) {
    const auto found = named.find(std::string(group));
    numbers_.push_back(found == named.end() ? -1 : found->second);
  }
  if (regex.Match("", 0, 0, re2::RE2::UNANCHORED, nullptr, 0)) refuse_pattern(written, "matches an empty text");
  prefix_ = common_prefix(written);
  if (prefix_.size() < kShortestPrefix) prefix_.clear();
  needed_ = prefix_.empty() ? needed_atoms(written) : Needed{.literals = {{.text = prefix_}}};
  const Begin begin = prefix_.empty() ? Begin::anywhere : Begin::here;
  if (!prefix_.empty()) at_prefix_.emplace(written, begin);
  halves_ = halves_of(written, begin);
  pieces_.resize(static_cast<std::size_t>(1 + (numbers_.empty() ? 0 : std::max(0, std::ranges::max(numbers_)))));
  groups_.resize(numbers_.size());
}

std::unique_ptr<Pattern::Halves> Pattern::halves_of(const std::string& written, Begin begin) {
  const auto place = place_between_halves(written);
  if (!place) return nullptr;
  const std::string tail = written.substr(*place + 2);
  auto halves = std::make_unique<Halves>(Halves{
      .head = Part(written.substr(0, *place), begin), .tail = Part(tail, Begin::here), .tail_prefix = {}, .inner = nullptr});
  if (!halves->head.regex().ok() || !halves->tail.regex().ok()) return nullptr;
  halves->tail_prefix = common_prefix(tail);
  if (halves->tail_prefix.size() < kShortestPrefix) return nullptr;
  halves->inner = halves_of(tail, Begin::here);
  return halves;
}

// RE2 prefers what comes first in the pattern: the head's own first choice, if the rest can follow it, then the longest
// ".*", that is the last place where the tail fits. Two short matches find that many times faster than one whose captures
// hang on every place that ".*" may end at (tests/bench/reading.cpp, "a user's pattern").
std::optional<bool> Pattern::match_halves(const Halves& halves, std::string_view text, std::size_t from,
                                          std::span<re2::StringPiece> pieces) {
  const std::size_t in_head = std::min(halves.head.groups(), pieces.size() - 1);
  if (!halves.head.match(text, from, pieces.first(in_head + 1))) return false;
  const auto end = static_cast<std::size_t>(pieces[0].data() + pieces[0].size() - text.data());
  if (text.find('\n', end) != std::string_view::npos) return std::nullopt;
  // The tail's own group 0 is of no use to anybody, and is overwritten where the head has groups.
  const re2::StringPiece last_of_head = pieces[in_head];
  const std::span<re2::StringPiece> of_tail = pieces.subspan(in_head);
  const auto last_tail = [&](std::size_t to) { return find_last(text.substr(0, to), halves.tail_prefix); };
  std::size_t tries = 0;
  for (std::size_t at = last_tail(text.size()); at != std::string_view::npos && at >= end && ++tries <= kMostPlaces;
       at = last_tail(at + halves.tail_prefix.size() - 1)) {
    const auto fits = halves.inner ? match_halves(*halves.inner, text, at, of_tail) : halves.tail.match(text, at, of_tail);
    if (!fits) return std::nullopt;
    if (!*fits) continue;
    of_tail[0] = last_of_head;
    return true;
  }
  return std::nullopt;  // after another choice of the head, perhaps
}

bool Pattern::match_from(std::string_view text, std::size_t from) {
  if (halves_)
    if (const auto fits = match_halves(*halves_, text, from, pieces_)) return *fits;
  return (at_prefix_ ? *at_prefix_ : anywhere_).match(text, from, pieces_);
}

bool Pattern::find(std::string_view text) {
  if (prefix_.empty()) return match_from(text, 0);
  // An anchored match is much faster, and where the prefix is not, no match begins.
  std::size_t tries = 0;
  for (std::size_t at = find_in_line(text, prefix_, 0); at != std::string_view::npos;
       at = find_in_line(text, prefix_, at + 1)) {
    if (++tries > kMostPlaces) return anywhere_.match(text, at, pieces_);
    if (match_from(text, at)) return true;
  }
  return false;
}

std::span<const std::string_view> Pattern::match(std::string_view text) {
  if (!find(text)) return {};
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    re2::StringPiece piece;
    if (numbers_[i] >= 0) piece = pieces_[static_cast<std::size_t>(numbers_[i])];
    groups_[i] = {piece.data(), piece.size()};
  }
  return groups_;
}

}  // namespace bisectd::driver::read
