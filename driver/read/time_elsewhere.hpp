// Tells from the stamps of a log how long what ran elsewhere took there. Knows no families.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/read/line.hpp"
#include "driver/read/names.hpp"
#include "driver/read/pattern.hpp"

namespace bisectd::driver::read {

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
