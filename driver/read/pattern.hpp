// One pattern a user wrote: checked, compiled, and with the literals its matches must contain.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/read/sieve.hpp"

namespace re2 {
class StringPiece;
}  // namespace re2

namespace bisectd::driver::read {

class Pattern {
 public:
  /// `groups` must all be named in the pattern; `optional_groups` may be. Throws std::invalid_argument
  /// for anything that is not RE2 syntax, is too large, lacks a group or matches an empty text.
  explicit Pattern(const std::string& written, std::span<const std::string_view> groups = {},
                   std::span<const std::string_view> optional_groups = {});
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  /// The leftmost match. The result holds one view into the text per group, in the order given (`groups`, then
  /// `optional_groups`); a group that took no part has a null data pointer. Empty: no match. Dies with the next call.
  std::span<const std::string_view> match(std::string_view text);

  /// Whether it matches at all.
  bool fits(std::string_view text);

  const Needed& needed() const { return needed_; }

 private:
  bool match_from(std::string_view text, std::size_t from);
  /// As RE2 itself; pieces_[0] is of no use then. Absent: only RE2 can tell.
  std::optional<bool> match_halves(std::string_view text, std::size_t from);

  struct Part;
  std::unique_ptr<Part> whole_;
  std::string prefix_;  ///< every match begins with it; may be empty
  // Of a pattern "HEAD.*TAIL" whose halves mean by themselves what they mean in it; else null.
  std::unique_ptr<Part> head_, tail_;
  std::string tail_prefix_;
  Needed needed_;
  std::vector<int> numbers_;              ///< of the groups; -1 for one that is absent
  std::vector<re2::StringPiece> pieces_;  ///< of the last match
  std::vector<std::string_view> groups_;  ///< the same, in the caller's order
};

}  // namespace bisectd::driver::read
