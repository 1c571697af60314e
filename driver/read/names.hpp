// Names of operators and passes that ran, fell back or were refused: counted in a log by patterns, in JSON files that a run
// leaves, and with the time that what ran elsewhere took there. Knows no families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
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

/// Which file, and where names stand in it; the syntax of both is configs::NamesInFile's.
struct NamesFile {
  std::string file;
  std::string members;
};

struct FileNames {
  bool found = false;   ///< at least one file was there and was JSON
  NameCounts counts;    ///< how often each name was met, in all files and documents together
  std::string problem;  ///< what is wrong with a file that was there; empty: nothing
};

/// Reads the files of one attempt. A file may hold several documents one after the other, as CANN's older
/// fusion_result.json does.
FileNames read_names(const std::filesystem::path& folder, const NamesFile& wanted);

/// From each line that one of `names` matches to the next stamped line of the same thread that `during` does not match.
class TimeElsewhere {
 public:
  /// `names`: the first that fits a line counts. `stamp`: RE2 with the groups `time` (hours:minutes:seconds) and
  /// `thread`; `during`: RE2, empty: none.
  TimeElsewhere(const std::vector<NamePattern>& names, const std::string& stamp, const std::string& during);

  /// Every line of one log, in order.
  void feed(const Line& line);
  /// By what the pattern of `names` found; one that goes past midnight counts as what it is.
  const std::map<FoundName, double>& seconds() const { return seconds_; }

 private:
  struct Running {
    FoundName name;
    double since = 0;
  };

  std::vector<Pattern> names_;
  Pattern stamp_;
  std::optional<Pattern> during_;
  std::map<std::string, Running, std::less<>> running_;  ///< by thread
  std::map<FoundName, double> seconds_;
};

}  // namespace bisectd::driver::read
