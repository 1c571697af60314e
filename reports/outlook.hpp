// What is still to come, as far as a record tells: time left, likely culprits. Estimates, for the eye only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::reports {

/// An attempt under way, or (null) a trial that waits for a device or between two attempts.
struct Underway {
  const Trial* trial = nullptr;
  const Attempt* attempt = nullptr;
};

/// Those on devices first, in the order of their devices, so that each keeps its place from one look to the next.
std::vector<Underway> underway(const Record& record);

/// Trials that ended.
std::size_t judged_count(const Record& record);

/// Seconds to the end, lowest and highest expected: trials left at the pace of the search so far. Empty before the first
/// judged trial of the search and when nothing is left.
std::optional<std::pair<double, double>> time_left_s(const Record& record);

/// "5 to 9 more trials, 12 min 00 s to 30 min 00 s"; empty when the search does not know.
std::string left_text(const Record& record);

/// Suspects that are guilty with a probability of 5 % or more, the likeliest first, at most `limit`.
std::vector<std::size_t> likely_culprits(const Record& record, std::size_t limit);

/// "ops:pad3d 92 %, ops:relu 12 %"; empty while nobody stands out.
std::string likely_text(const Record& record);

}  // namespace bisectd::reports
