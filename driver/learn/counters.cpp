#include "driver/learn/counters.hpp"

#include <algorithm>
#include <utility>

namespace bisectd::driver::learn {

std::set<Counter> counters_of(const LogKinds& log) {
  std::set<Counter> counters;
  for (const Kind& kind : log.kinds()) {
    if (kind.is_validation() || kind.rows() == 0) continue;
    for (const std::size_t row : {std::size_t{0}, kind.rows() - 1})
      for (std::size_t at = 0; at < kind.keys().size(); ++at)
        if (const Value& value = kind.at(row, at); value.whole)
          if (const auto rank = step_rank(kind.keys()[at], value.of != 0, kind.in_bar()))
            counters.insert({kind.keys()[at], value.of, *rank});
  }
  return counters;
}

std::vector<std::optional<std::int64_t>> last_seen(const LogKinds& log, const std::vector<std::int64_t>& lines,
                                                   const std::string& key, std::int64_t of) {
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  for (const Kind& kind : log.kinds())
    if (const auto at = kind.column_of(key))
      for (std::size_t row = 0; row < kind.rows(); ++row)
        if (const Value& value = kind.at(row, *at); value.of == of && value.whole)
          seen.emplace_back(kind.line_of(row), value.count());
  std::ranges::sort(seen);
  std::vector<std::optional<std::int64_t>> before;
  std::optional<std::int64_t> last;
  std::size_t at = 0;
  for (const std::int64_t line : lines) {
    for (; at < seen.size() && seen[at].first < line; ++at) last = seen[at].second;
    before.push_back(last);
  }
  return before;
}

std::vector<std::int64_t> known_ones(const std::vector<std::optional<std::int64_t>>& counts) {
  std::vector<std::int64_t> known;
  for (const auto& count : counts)
    if (count) known.push_back(*count);
  return known;
}

}  // namespace bisectd::driver::learn
