// One pattern a user wrote: checked, compiled, and with the literals its matches must contain. The one header of this
// room that shows RE2; only .cpp files and tests include it.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

class Pattern {
 public:
  /// `groups` must all be named in the pattern; `optional_groups` may be. Throws std::invalid_argument
  /// for anything that is not RE2 syntax, is too large, lacks a group or matches an empty text.
  Pattern(const std::string& written, std::span<const std::string_view> groups,
          std::span<const std::string_view> optional_groups);

  /// The leftmost match. The result holds one view into the text per group, in the order given (`groups`, then
  /// `optional_groups`); a group that took no part has a null data pointer. Empty: no match. Dies with the next call.
  std::span<const std::string_view> match(std::string_view text);

  /// Whether it matches at all.
  bool fits(std::string_view text) { return find(text); }

  const Needed& needed() const { return needed_; }

 private:
  enum class Begin { anywhere, here };
  /// A pattern or a part of one, asked for matches that begin at a place, or anywhere from it on.
  class Part {
   public:
    Part(const std::string& written, Begin begin);
    const re2::RE2& regex() const { return *regex_; }
    std::size_t groups() const { return static_cast<std::size_t>(regex_->NumberOfCapturingGroups()); }
    bool match(std::string_view text, std::size_t from, std::span<re2::StringPiece> pieces) const;

   private:
    bool cuts_off_;  ///< is asked as if the text began at the place
    re2::RE2::Anchor anchor_;
    std::unique_ptr<re2::RE2> regex_;
  };

  /// A pattern "HEAD.*TAIL" whose halves mean by themselves what they mean in it.
  struct Halves {
    Part head, tail;
    std::string tail_prefix;        ///< every match of the tail begins with it
    std::unique_ptr<Halves> inner;  ///< of the tail, where it is such a pattern again
  };
  static std::unique_ptr<Halves> halves_of(const std::string& written, Begin begin);
  /// Into pieces[1] and those behind it, as RE2 itself; pieces[0] is of no use. Absent: only RE2 can tell.
  static std::optional<bool> match_halves(const Halves& halves, std::string_view text, std::size_t from,
                                          std::span<re2::StringPiece> pieces);

  bool find(std::string_view text);
  bool match_from(std::string_view text, std::size_t from);

  Part anywhere_;
  std::optional<Part> at_prefix_;   ///< the same pattern, where it has a prefix
  std::vector<int> numbers_;        ///< of the groups; -1 for one that is absent
  std::string prefix_;              ///< every match begins with it; may be empty
  std::unique_ptr<Halves> halves_;  ///< null: it is not of that kind
  Needed needed_;
  std::vector<re2::StringPiece> pieces_;  ///< of the last match
  std::vector<std::string_view> groups_;  ///< the same, in the caller's order
};

}  // namespace bisectd::driver::read
