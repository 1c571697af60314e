#include "driver/read/pattern.hpp"

#include <fmt/format.h>
#include <re2/filtered_re2.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace bisectd::driver::read {
namespace {

constexpr std::size_t kMostTails = 16;  // places that are tried before the whole pattern is
constexpr std::int64_t kMostMemory = 8 << 20;
constexpr std::size_t kShortestPrefix = 2;

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_max_mem(kMostMemory);
  options.set_log_errors(false);
  return options;
}

[[noreturn]] void refuse(const std::string& written, std::string_view why) {
  throw std::invalid_argument(fmt::format("the pattern '{}' {}", written, why));
}

/// What every match begins with. RE2 gives the least and the greatest text that an anchored match can be; what these
/// two have in common all matches have.
std::string common_prefix(const re2::RE2& regex) {
  constexpr int kLongest = 64;
  std::string least;
  std::string greatest;
  if (!regex.PossibleMatchRange(&least, &greatest, kLongest)) return {};
  const auto differ = std::ranges::mismatch(least, greatest).in1;
  return {least.begin(), differ};
}

/// As text.rfind(what), for lines and a text of two bytes or more: without a call for each place.
std::size_t find_last(std::string_view text, std::string_view what) {
  for (std::size_t end = text.size(); end >= what.size(); --end) {
    const std::size_t at = end - what.size();
    if (text[at] == what[0] && text[at + 1] == what[1] && text.substr(at, what.size()) == what) return at;
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
  constexpr std::string_view kQuantifiers = "?*+{";
  if (!place || *place + 2 >= written.size() || kQuantifiers.find(written[*place + 2]) != std::string_view::npos)
    return std::nullopt;
  return place;
}

}  // namespace

Pattern::Pattern(const std::string& written, std::span<const std::string_view> groups,
                 std::span<const std::string_view> optional_groups)
    : regex_(std::make_unique<re2::RE2>(written, options())) {
  if (!regex_->ok())
    refuse(written, fmt::format("is not RE2 syntax: {} (there is no look-around and no back-reference)", regex_->error()));
  const auto& named = regex_->NamedCapturingGroups();
  for (const std::string_view group : groups) {
    const auto found = named.find(std::string(group));
    if (found == named.end()) refuse(written, fmt::format("has no group (?P<{}>...)", group));
    numbers_.push_back(found->second);
  }
  for (const std::string_view group : optional_groups) {
    const auto found = named.find(std::string(group));
    numbers_.push_back(found == named.end() ? -1 : found->second);
  }
  if (regex_->Match("", 0, 0, re2::RE2::UNANCHORED, nullptr, 0)) refuse(written, "matches an empty text");
  prefix_ = common_prefix(*regex_);
  if (prefix_.size() < kShortestPrefix) prefix_.clear();
  needed_ = prefix_.empty() ? needed_atoms(written) : Needed{.literals = {{.text = prefix_}}};
  if (!prefix_.empty()) halves_ = halves_of(written);
  pieces_.resize(static_cast<std::size_t>(1 + (numbers_.empty() ? 0 : std::max(0, std::ranges::max(numbers_)))));
  groups_.resize(numbers_.size());
}

std::optional<Pattern::Halves> Pattern::halves_of(const std::string& written) {
  const auto place = place_between_halves(written);
  if (!place) return std::nullopt;
  Halves halves{.head = std::make_unique<re2::RE2>(written.substr(0, *place), options()),
                .tail = std::make_unique<re2::RE2>(written.substr(*place + 2), options())};
  if (!halves.head->ok() || !halves.tail->ok()) return std::nullopt;
  halves.tail_prefix = common_prefix(*halves.tail);
  if (halves.tail_prefix.size() < kShortestPrefix) return std::nullopt;
  return halves;
}

bool Pattern::match_from(std::string_view text, std::size_t start, re2::RE2::Anchor anchor) {
  return regex_->Match({text.data(), text.size()}, start, text.size(), anchor, pieces_.data(),
                       static_cast<int>(pieces_.size()));
}

// RE2 prefers what comes first in the pattern: the head's own first choice, if the rest can follow it, then the longest
// ".*", that is the last place where the tail fits. Two short matches find that many times faster than one whose captures
// hang on every place that ".*" may end at (tests/bench/reading.cpp, "a user's pattern").
bool Pattern::match_halves_from(std::string_view text, std::size_t start) {
  const re2::StringPiece whole(text.data(), text.size());
  const auto wanted = static_cast<int>(pieces_.size()) - 1;
  const int in_head = std::min(halves_->head->NumberOfCapturingGroups(), wanted);
  if (!halves_->head->Match(whole, start, text.size(), re2::RE2::ANCHOR_START, pieces_.data(), in_head + 1)) return false;
  const auto end = static_cast<std::size_t>(pieces_[0].data() + pieces_[0].size() - text.data());
  if (text.find('\n', end) == std::string_view::npos) {
    // The tail's own group 0 is of no use to anybody, and is overwritten where the head has groups.
    const re2::StringPiece last_of_head = pieces_[static_cast<std::size_t>(in_head)];
    re2::StringPiece* const of_tail = pieces_.data() + in_head;
    const auto last_tail = [&](std::size_t to) { return find_last(text.substr(0, to), halves_->tail_prefix); };
    std::size_t tries = 0;  // a line that is made of the prefix alone must not cost the square of its length
    for (std::size_t at = last_tail(text.size()); at != std::string_view::npos && at >= end && ++tries <= kMostTails;
         at = last_tail(at + halves_->tail_prefix.size() - 1))
      if (halves_->tail->Match(whole, at, text.size(), re2::RE2::ANCHOR_START, of_tail, wanted - in_head + 1)) {
        *of_tail = last_of_head;
        return true;
      }
  }
  return match_from(text, start, re2::RE2::ANCHOR_START);  // after another choice of the head, perhaps
}

bool Pattern::find(std::string_view text) {
  if (prefix_.empty()) return match_from(text, 0, re2::RE2::UNANCHORED);
  // An anchored match is much faster, and where the prefix is not, no match begins.
  for (std::size_t at = text.find(prefix_); at != std::string_view::npos; at = text.find(prefix_, at + 1))
    if (halves_ ? match_halves_from(text, at) : match_from(text, at, re2::RE2::ANCHOR_START)) return true;
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
