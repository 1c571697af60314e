// Which number of a log is the metric: by its name first; where names are as good, by what the values say. And where its
// step stands: beside it, in another line, begun again with each epoch; in lines of several processes or of a bar that is
// refreshed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/learn/log_kinds.hpp"
#include "driver/learn/reading.hpp"
#include "driver/learn/words.hpp"

namespace bisectd::driver::learn {

struct FoundMetric {
  std::string key;
  std::vector<const Kind*> kinds;  ///< that have it
  std::vector<std::string> notes;
};

/// `wish`: the metric's name; empty or "loss": the loss of the training. Throws Refusal.
FoundMetric find_metric(const LogKinds& log, const std::string& wish);

/// Fills in where the step stands, for these rows. Throws Refusal.
void find_step(Found& found, Rows rows, const LogKinds& log);

/// A number that counts in some line of the log.
struct Counter {
  std::string key;
  std::int64_t of = 0;
  StepRank rank = StepRank::other;

  auto operator<=>(const Counter&) const = default;
};

/// What counts in any line but those of validation.
std::set<Counter> counters_of(const LogKinds& log);

/// The count that the log showed last before each of these lines; absent: none yet.
std::vector<std::optional<std::int64_t>> last_seen(const LogKinds& log, const std::vector<std::int64_t>& lines,
                                                   const std::string& key, std::int64_t of);

std::vector<std::int64_t> known_ones(const std::vector<std::optional<std::int64_t>>& counts);

/// The step of each row that is read, refreshes and all.
std::vector<LogPoint> walk(const Reading& reading, const Rows& rows, const LogKinds& log);

/// One value for each step: the last one, as a bar is refreshed.
std::vector<LogPoint> points_of(const Reading& reading, const Rows& rows, const LogKinds& log);

}  // namespace bisectd::driver::learn
