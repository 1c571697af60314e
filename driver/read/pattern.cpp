#include "driver/read/pattern.hpp"

#include <fmt/format.h>
#include <re2/filtered_re2.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace bisectd::driver::read {
namespace {

constexpr std::int64_t kMostMemory = 8 << 20;

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
  constexpr std::size_t kShortestPrefix = 2;
  prefix_ = common_prefix(*regex_);
  if (prefix_.size() < kShortestPrefix) prefix_.clear();
  needed_ = prefix_.empty() ? needed_atoms(written) : Needed{.literals = {{.text = prefix_}}};
  pieces_.resize(static_cast<std::size_t>(1 + (numbers_.empty() ? 0 : std::max(0, std::ranges::max(numbers_)))));
  groups_.resize(numbers_.size());
}

bool Pattern::find(std::string_view text) {
  const auto match_from = [&](std::size_t start, re2::RE2::Anchor anchor) {
    return regex_->Match({text.data(), text.size()}, start, text.size(), anchor, pieces_.data(),
                         static_cast<int>(pieces_.size()));
  };
  if (prefix_.empty()) return match_from(0, re2::RE2::UNANCHORED);
  // An anchored match is much faster, and where the prefix is not, no match begins.
  for (std::size_t at = text.find(prefix_); at != std::string_view::npos; at = text.find(prefix_, at + 1))
    if (match_from(at, re2::RE2::ANCHOR_START)) return true;
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
