#include "driver/read/pattern.hpp"

#include <fmt/format.h>
#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
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

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_max_mem(kMostMemory);
  options.set_log_errors(false);
  return options;
}

[[noreturn]] void refuse_pattern(const std::string& written, std::string_view why) {
  throw std::invalid_argument(fmt::format("the pattern '{}' {}", written, why));
}

/// What every match begins with. RE2 gives the least and the greatest text that an anchored match can be; what these two
/// have in common all matches have. It takes the match for the whole text, whose ends say "\b" where a line's middle may
/// not, and the other way round.
std::string common_prefix(const re2::RE2& regex) {
  constexpr int kLongest = 64;
  static const re2::RE2 says_boundary(R"(\\[bB])");
  std::string least;
  std::string greatest;
  if (re2::RE2::PartialMatch(regex.pattern(), says_boundary) || !regex.PossibleMatchRange(&least, &greatest, kLongest))
    return {};
  const auto differ = std::ranges::mismatch(least, greatest).in1;
  std::string prefix(least.begin(), differ);
  return prefix.size() < kShortestPrefix ? "" : prefix;
}

/// As text.rfind(what), which makes a call for each place; by the second letter, as the first is often a blank.
std::size_t find_last(std::string_view text, std::string_view what) {
  for (std::size_t end = text.size(); end > 1;) {
    const void* found = ::memrchr(text.data() + 1, what[1], end - 1);
    if (found == nullptr) break;
    end = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    if (text.substr(end - 1).starts_with(what)) return end - 1;
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

}  // namespace

struct Pattern::Part {
  explicit Part(const std::string& written) : regex(written, options()) {
    static const re2::RE2 plain_around_group(R"(([\w :=]*)\(\?P<\w+>[^()]*\)([\w ,;]*))");
    std::string before, behind;
    if (re2::RE2::FullMatch(written, plain_around_group, &before, &behind))
      around_group.emplace(before.size(), behind.size());
  }

  bool match(std::string_view text, std::size_t from, re2::RE2::Anchor anchor, std::span<re2::StringPiece> pieces) const {
    const bool only_whole = around_group && pieces.size() > 1;
    const int wanted = only_whole ? 1 : static_cast<int>(pieces.size());
    if (!regex.Match({text.data(), text.size()}, from, text.size(), anchor, pieces.data(), wanted)) return false;
    if (!only_whole) return true;
    pieces[1] = pieces[0];
    pieces[1].remove_prefix(around_group->first);
    pieces[1].remove_suffix(around_group->second);
    return true;
  }

  re2::RE2 regex;
  /// Bytes before and behind its only group, where they are plain text: RE2 finds such a match two to six times faster than
  /// it finds the group in it.
  std::optional<std::pair<std::size_t, std::size_t>> around_group;
};

Pattern::Pattern(const std::string& written, std::span<const std::string_view> groups,
                 std::span<const std::string_view> optional_groups)
    : whole_(std::make_unique<Part>(written)) {
  const re2::RE2& regex = whole_->regex;
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
  pieces_.resize(static_cast<std::size_t>(1 + (numbers_.empty() ? 0 : std::max(0, std::ranges::max(numbers_)))));
  groups_.resize(numbers_.size());
  if (whole_->match("", 0, re2::RE2::UNANCHORED, {})) refuse_pattern(written, "matches an empty text");
  prefix_ = common_prefix(regex);
  needed_ = prefix_.empty() ? needed_atoms(written) : Needed{.literals = {{.text = prefix_}}};
  // Alternatives, flags, quotations and half characters may reach over both halves; a half of a group or of a class of
  // characters is no pattern.
  static const re2::RE2 reaches_far(R"(\||\(\?[^P:]|\\[QC])");
  static const re2::RE2 two_halves(R"((.*?)\.\*([^?*+{].*))");
  std::string head, tail;
  if (re2::RE2::PartialMatch(written, reaches_far) || !re2::RE2::FullMatch(written, two_halves, &head, &tail)) return;
  head_ = std::make_unique<Part>(head);
  tail_ = std::make_unique<Part>(tail);
  if (head_->regex.ok() && tail_->regex.ok()) tail_prefix_ = common_prefix(tail_->regex);
  if (tail_prefix_.empty()) head_ = nullptr;
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

// RE2 prefers what comes first in the pattern: the head's own first choice, if the rest can follow it, then the longest
// ".*", that is the last place where the tail fits. Two short matches find that many times faster than one whose captures
// hang on every place that ".*" may end at (tests/bench/reading.cpp, "a user's pattern").
std::optional<bool> Pattern::match_halves(std::string_view text, std::size_t from) {
  const std::size_t in_head = std::min<std::size_t>(head_->regex.NumberOfCapturingGroups(), pieces_.size() - 1);
  const re2::RE2::Anchor anchor = prefix_.empty() ? re2::RE2::UNANCHORED : re2::RE2::ANCHOR_START;
  if (!head_->match(text, from, anchor, std::span(pieces_).first(in_head + 1))) return false;
  const auto end = static_cast<std::size_t>(pieces_[0].data() + pieces_[0].size() - text.data());
  if (text.find('\n', end) != std::string_view::npos) return std::nullopt;
  // The tail's own group 0 is of no use to anybody, and is overwritten where the head has groups.
  const re2::StringPiece last_of_head = pieces_[in_head];
  const std::span<re2::StringPiece> of_tail = std::span(pieces_).subspan(in_head);
  std::string_view before = text;
  for (std::size_t tries = 0; tries < kMostPlaces; ++tries) {
    const std::size_t at = find_last(before, tail_prefix_);
    if (at == std::string_view::npos || at < end) break;
    if (tail_->match(text, at, re2::RE2::ANCHOR_START, of_tail)) {
      of_tail[0] = last_of_head;
      return true;
    }
    before = text.substr(0, at + tail_prefix_.size() - 1);
  }
  return std::nullopt;  // after another choice of the head, perhaps
}

bool Pattern::match_from(std::string_view text, std::size_t from) {
  if (head_)
    if (const auto fits = match_halves(text, from)) return *fits;
  return whole_->match(text, from, prefix_.empty() ? re2::RE2::UNANCHORED : re2::RE2::ANCHOR_START, pieces_);
}

bool Pattern::fits(std::string_view text) {
  if (prefix_.empty()) return match_from(text, 0);
  // An anchored match is much faster, and where the prefix is not, no match begins.
  std::size_t tries = 0;
  for (std::size_t at = find_in_line(text, prefix_, 0); at != std::string_view::npos;
       at = find_in_line(text, prefix_, at + 1)) {
    if (++tries > kMostPlaces) return whole_->match(text, at, re2::RE2::UNANCHORED, pieces_);
    if (match_from(text, at)) return true;
  }
  return false;
}

std::span<const std::string_view> Pattern::match(std::string_view text) {
  if (!fits(text)) return {};
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    re2::StringPiece piece;
    if (numbers_[i] >= 0) piece = pieces_[static_cast<std::size_t>(numbers_[i])];
    groups_[i] = {piece.data(), piece.size()};
  }
  return groups_;
}

}  // namespace bisectd::driver::read
