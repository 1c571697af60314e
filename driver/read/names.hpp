// Counts names that patterns find in a log: operators that ran, that fell back, that were refused. Knows no families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/read/line.hpp"
#include "driver/read/pattern.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// RE2 with the group `name` and, if it likes, `detail` (a dtype, say), which tells lines with one name apart.
struct NamePattern {
  std::string text;
};

struct FoundName {
  std::string name;
  std::string detail;  ///< empty if the pattern has no such group or it took no part

  auto operator<=>(const FoundName&) const = default;
};

/// How many lines one pattern matched, by what it found in them.
using NameCounts = std::map<FoundName, std::int64_t>;

/// Matches all patterns against each line; one match per pattern and line, the leftmost.
class NameCounter {
 public:
  /// More different names than this, of one pattern, are a pattern gone wrong.
  static constexpr std::size_t kMostNames = 100'000;

  /// Throws std::invalid_argument for a pattern that is no RE2 syntax, lacks the group `name` or matches an empty text.
  explicit NameCounter(const std::vector<NamePattern>& patterns);

  void feed(const Line& line);

  /// One per pattern, in their order.
  std::vector<NameCounts> counts() const;

  /// A sentence for each pattern that found more than kMostNames names; its later new names were left out.
  std::vector<std::string> problems() const;

  /// What a line must contain to be worth feeding.
  std::vector<Needed> needed() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Watched {
    Pattern pattern;
    std::string text;
    /// By name and detail with a NUL between them: one look-up without a copy for the many lines that repeat.
    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> counts;
    std::string key;
    bool too_many = false;
  };
  std::vector<Watched> watched_;
};

}  // namespace bisectd::driver::read
