#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "driver/learn/find.hpp"

namespace bisectd::driver::learn {

std::vector<LogPoint> walk(const Reading& reading, const Rows& all, const LogKinds& log) {
  const Rows some = reading.process_key.empty() ? Rows{} : all.where(reading.process_key, reading.process);
  const Rows& rows = reading.process_key.empty() ? all : some;
  const auto* values = rows.column(reading.metric);
  std::vector<LogPoint> points;
  if (!values) return points;
  std::vector<std::optional<std::int64_t>> seen;
  if (reading.step_elsewhere) {
    seen = last_seen(log, rows.lines, reading.step, reading.of);
    if (std::ranges::none_of(seen,
                             [](const auto& count) { return count.has_value(); })) {  // its bar counts to another number
      std::map<std::int64_t, std::size_t> often;
      for (const Counter& counter : counters_of(log))
        if (counter.key == reading.step) ++often[counter.of];
      if (!often.empty())
        seen = last_seen(log, rows.lines, reading.step,
                         std::ranges::max_element(often, {}, [](const auto& one) { return one.second; })->first);
    }
  }
  const auto* steps = rows.column(reading.step);
  const auto* epochs = rows.column(reading.epoch);
  const std::vector<std::int64_t> later = known_ones(seen);
  std::int64_t epoch = 0;
  std::optional<std::int64_t> last;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::int64_t step = static_cast<std::int64_t>(row / reading.lines_of_value) + 1;
    if (reading.step_elsewhere) {
      step = seen[row] ? *seen[row] : later.size() > 1 ? 2 * later[0] - later[1] : 0;  // before the first line with a step
    } else if (!reading.step.empty()) {
      if (!steps) return {};
      step = (*steps)[row].count();
      if (reading.begins_again) {
        epoch += last && step < *last;
        last = step;
      } else if (!reading.epoch.empty() && epochs) {
        epoch = (*epochs)[row].count() - reading.first_epoch;
      }
      step += epoch * reading.steps_of_epoch;
    }
    points.push_back({step, (*values)[row], rows.lines[row]});
  }
  return points;
}

std::vector<LogPoint> points_of(const Reading& reading, const Rows& rows, const LogKinds& log) {
  std::vector<LogPoint> points;
  std::unordered_map<std::int64_t, std::size_t> place;
  std::vector<std::size_t> shown;
  for (const LogPoint& point : walk(reading, rows, log)) {
    const auto [known, is_new] = place.emplace(point.step, points.size());
    if (is_new) {
      points.push_back(point);
      shown.push_back(0);
    } else {
      points[known->second] = point;
    }
    ++shown[known->second];
  }
  // A bar that shows a value at 0 already ends by repeating its last one.
  const std::size_t size = points.size();
  if (rows.in_bar && size > 2 && points[0].step == 0 && shown.back() == 1 && std::ranges::max(shown) > 1 &&
      same(points[size - 1].value, points[size - 2].value))
    points.pop_back();
  return points;
}

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
