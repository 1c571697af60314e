#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "driver/learn/find.hpp"
#include "driver/learn/reading.hpp"
#include "driver/learn/words.hpp"

namespace bisectd::driver::learn {
namespace {

constexpr double kWithEpoch = 4;  ///< ranks of what may be the step; less is better
constexpr double kInUnnamed = 6;
constexpr double kBeginsAgain = 6;
constexpr double kEpochAlone = 7;

/// A number that counts and may be the step.
struct Option {
  std::size_t places = 0;  ///< different ones
  double rank = 0;
  std::string step, epoch;
  bool begins_again = false;
};

/// Columns of whole numbers, without percentages, in the order of the line.
std::vector<std::pair<std::string, std::vector<std::int64_t>>> whole_columns(const Rows& rows, const std::string& metric) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> whole;
  for (std::size_t at = 0; at < rows.keys.size(); ++at) {
    const auto& values = rows.columns[at];
    if (rows.keys[at] != metric &&
        std::ranges::all_of(values, [](const Value& value) { return value.whole && !value.percent; }))
      whole.emplace_back(rows.keys[at], counts_of(values));
  }
  return whole;
}
using Whole = decltype(whole_columns({}, {}));

/// Do 0 to k-1 come k at a time, or one after the other, each as often? `gpu 93` is no rank.
bool come_in_turns(const std::vector<std::int64_t>& ranks) {
  std::map<std::int64_t, std::size_t> often;
  for (const std::int64_t rank : ranks) ++often[rank];
  const std::size_t k = often.size();
  const auto [least, most] = std::ranges::minmax_element(often, {}, [](const auto& one) { return one.second; });
  const bool together = often.rbegin()->first - often.begin()->first == static_cast<std::int64_t>(k) - 1;
  if (ranks.size() < 3 * k || !together || most->second - least->second > std::max<std::size_t>(1, ranks.size() / k / 20))
    return false;
  std::size_t blocks = 0, whole = 0, changes = 0;
  for (std::size_t at = 0; at + k <= ranks.size(); at += k, ++blocks)
    whole += std::set(ranks.begin() + static_cast<std::ptrdiff_t>(at), ranks.begin() + static_cast<std::ptrdiff_t>(at + k))
                 .size() == k;
  for (std::size_t at = 1; at < ranks.size(); ++at) changes += ranks[at] != ranks[at - 1];
  return 10 * whole >= 8 * blocks || changes < 2 * k;
}

std::size_t different(std::vector<std::int64_t> counts) { return std::set(counts.begin(), counts.end()).size(); }

std::set<std::pair<std::int64_t, std::int64_t>> places_of(const std::vector<std::int64_t>& epochs,
                                                          const std::vector<std::int64_t>& counts, std::size_t& falls) {
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  falls = 0;
  for (std::size_t at = 0; at < counts.size(); ++at) {
    places.emplace(epochs[at], counts[at]);
    falls += at > 0 && std::pair(epochs[at], counts[at]) < std::pair(epochs[at - 1], counts[at - 1]);
  }
  return places;
}

std::optional<Option> option_of(const std::string& key, StepRank kind, const std::vector<std::int64_t>& counts,
                                const std::string& epoch, const Whole& whole) {
  const Counting going(counts);
  if (going.ups == 0) return std::nullopt;
  const double rank = static_cast<int>(kind);
  const bool named = kind < StepRank::nameless;
  if (going.rises) {
    if (!named && going.even < 0.9) return std::nullopt;
    return Option{different(counts), named ? rank : rank + 3, key, "", false};
  }
  const auto column = [&](const std::string& name) {
    return std::ranges::find(whole, name, [](const auto& one) { return one.first; });
  };
  if (!epoch.empty() && epoch != key) {
    const auto& epochs = column(epoch)->second;
    std::size_t falls = 0;
    const auto places = places_of(epochs, counts, falls);
    if (falls * 20 <= counts.size() && different(epochs) > 1)
      return Option{places.size(), kWithEpoch + std::min(rank, 3.0) / 2, key, epoch, false};
  }
  if (kind == StepRank::nameless) {  // [2, 1000]: the number before counts the epochs
    const auto self = column(key);
    if (self == whole.begin() || std::prev(self)->first[0] != '#') return std::nullopt;
    const auto& outer = *std::prev(self);
    const Counting epochs(outer.second);
    std::size_t falls = 0;
    const auto places = places_of(outer.second, counts, falls);
    if (epochs.rises && epochs.delta == 1 && falls == 0) return Option{places.size(), kInUnnamed, key, outer.first, false};
    return std::nullopt;
  }
  if (going.restarts > 0 && named) return Option{counts.size(), kBeginsAgain + rank / 10, key, "", true};
  if ((going.falls * 20 <= counts.size() || (going.falls <= 2 && going.ups > 8 * going.falls)) && named)
    return Option{different(counts), rank, key, "", false};
  return std::nullopt;
}

/// A step that stands in another line, the last one before each value: a bar, or `Step 10:` on a line of its own.
bool find_elsewhere(Reading& reading, const Rows& rows, const LogKinds& log) {
  std::optional<Counter> best;
  for (const Counter& counter : counters_of(log)) {
    if (counter.rank == StepRank::counted || (counter.rank > StepRank::batch && counter.rank != StepRank::epoch)) continue;
    const auto counts = known_ones(last_seen(log, rows.lines, counter.key, counter.of));
    const Counting going(counts);
    if (counts.size() + 1 < rows.size() || !going.rises || going.ups + 2 < rows.size() || going.even < 0.9) continue;
    if (!best || counter.rank < best->rank) best = counter;
  }
  if (!best) return false;
  reading.step = best->key;
  reading.of = best->of;
  reading.step_elsewhere = true;
  return true;
}

/// Does a line of another kind say a higher epoch before each stretch but the first? Absent: no line says one.
std::optional<bool> is_epoch_told(const LogKinds& log, const std::vector<std::int64_t>& starts) {
  std::optional<bool> told;
  for (const Counter& counter : counters_of(log)) {
    if (counter.rank != StepRank::epoch) continue;
    const auto seen = known_ones(last_seen(log, starts, counter.key, counter.of));
    if (seen.size() + 1 < starts.size()) continue;
    if (std::ranges::adjacent_find(seen, std::greater_equal<>()) == seen.end()) return true;
    if (different(seen) > 1) told = false;
  }
  return told;
}

/// The same "of" in each; 0 where they differ.
std::int64_t limit_of(const std::vector<Value>& values) {
  return std::ranges::all_of(values, [&](const Value& value) { return value.of == values[0].of; }) ? values[0].of : 0;
}

/// The step begins again: is there a line that says the epoch, and are the stretches of one length?
void check_stretches(Found& found, const Rows& rows, const LogKinds& log, bool epoch_stands_still) {
  const auto& values = *rows.column(found.reading.step);
  const auto counts = counts_of(values);
  std::vector<std::size_t> stretches{1};
  std::vector<std::int64_t> starts{rows.lines[0]}, ends;
  for (std::size_t at = 1; at < counts.size(); ++at) {
    if (counts[at] < counts[at - 1]) {
      stretches.push_back(0);
      starts.push_back(rows.lines[at]);
      ends.push_back(counts[at - 1]);
    }
    stretches.back() += counts[at] != counts[at - 1];
  }
  const std::size_t first = stretches.front(), last = stretches.back();
  const std::set<std::size_t> inner(stretches.begin() + 1, stretches.end() - 1);
  const bool limits_differ = !std::ranges::all_of(values, [&](const Value& value) { return value.of == values[0].of; });
  const std::int64_t limit = limit_of(values);
  const auto told = epoch_stands_still ? std::optional(false) : is_epoch_told(log, starts);
  std::string reason;
  if (limits_differ || inner.size() > 1 || (!inner.empty() && std::max(first, last) > *inner.begin()) ||
      (inner.empty() && (last > first || (last < first && limit == 0 && !told.value_or(false))))) {
    stretches.resize(std::min<std::size_t>(stretches.size(), 6));
    reason = fmt::format("after stretches of unequal length ({}), so some may be validation", fmt::join(stretches, ", "));
  } else if (limit > 0 && std::ranges::min(ends) + Counting(counts).delta < limit) {
    reason = fmt::format("at {} of {}, as where two runs write one log", std::ranges::min(ends), limit);
  } else if (told == false) {
    reason = "but not with each epoch that is told, as where two runs write one log";
  } else {
    if (!told) found.notes.emplace_back("no line tells the epoch: it is counted where the step begins again");
    return;
  }
  throw Refusal(Refusal::ambiguous, fmt::format("{} begins again {}", found.reading.step, reason));
}

/// How many steps an epoch has; a value that moves only with the epoch belongs to the epoch.
void find_steps_of_epoch(Reading& reading, const Rows& rows) {
  if (reading.epoch.empty() && !reading.begins_again) return;
  const auto& values = *rows.column(reading.step);
  const auto counts = counts_of(values);
  const std::int64_t most = std::ranges::max(counts), limit = limit_of(values);
  reading.steps_of_epoch = limit > 0 && limit >= most
                               ? limit
                               : most - std::ranges::min(counts) + std::max<std::int64_t>(Counting(counts).delta, 1);
  if (reading.begins_again) return;
  const auto epochs = counts_of(*rows.column(reading.epoch));
  reading.first_epoch = epochs[0];
  const auto& metric = *rows.column(reading.metric);
  std::map<std::int64_t, Value> of_epoch;
  bool one_each = true;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto [known, is_new] = of_epoch.emplace(epochs[row], metric[row]);
    one_each = one_each && (is_new || (known->second.number == metric[row].number));
  }
  if (one_each && of_epoch.size() > 2 && of_epoch.size() < rows.size()) {
    reading.step = reading.epoch;
    reading.epoch.clear();
    reading.steps_of_epoch = 0;
  }
}

/// Several values of one step: refreshes of a bar, a restart, or processes that no word tells apart.
void look_at_repeats(Found& found, const Rows& rows, const LogKinds& log) {
  Reading& reading = found.reading;
  if (reading.step.empty()) return;
  const std::vector<LogPoint> points = walk(reading, rows, log);
  std::unordered_map<std::int64_t, std::vector<Value>> seen;
  std::size_t stale = 0, most = 0, several = 0;
  for (std::size_t at = 0; at < points.size(); ++at) {
    std::vector<Value>& known = seen[points[at].step];
    if (std::ranges::any_of(known, [&](const Value& other) { return same(points[at].value, other); })) continue;
    stale += known.empty() && at > 0 && same(points[at].value, points[at - 1].value);  // a bar goes on before its value does
    known.push_back(points[at].value);
    most = std::max(most, known.size());
    several += known.size() > 1;
  }
  if (several == 0 || (rows.in_bar && several - std::min(several, stale) <= seen.size() / 5)) return;
  std::vector<std::int64_t> steps;
  for (const LogPoint& point : points) steps.push_back(point.step);
  const Counting going(steps);
  if (going.falls > 0 && going.falls <= std::max<std::size_t>(5, rows.size() / 20) &&
      std::ranges::adjacent_find(steps) == steps.end()) {
    found.notes.push_back(
        fmt::format("the steps go back {} times, as after a restart: the later value counts", going.falls));
    return;
  }
  const std::string& first = rows.keys[0];
  const auto* who = rows.column(first);
  const bool counts = std::ranges::all_of(*who, [](const Value& value) { return value.whole && !value.percent; });
  if (counts && first[0] == '#' && first != reading.step && 2 * rows.size() > 3 * seen.size()) {
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    std::set<std::int64_t> processes;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      pairs.emplace((*who)[row].count(), steps[row]);
      processes.insert((*who)[row].count());
    }
    constexpr std::size_t kMostProcesses = 1024;
    if (pairs.size() == rows.size() && processes.size() <= kMostProcesses) {
      reading.process_key = first;
      reading.process = *processes.begin();
      return;
    }
  }
  throw Refusal(
      Refusal::ambiguous,
      fmt::format("a step has up to {} different values of {}, as from several processes, and nothing tells them apart",
                  most, reading.metric));
}

/// Lines without a step that come k at a time between the counts of a bar are those of several processes.
void look_for_turns(const Reading& reading, const Rows& rows, const LogKinds& log) {
  for (const Counter& counter : counters_of(log)) {
    if (counter.of == 0 || counter.rank != StepRank::bar) continue;
    std::vector<std::size_t> runs;
    std::optional<std::int64_t> last;
    for (const auto& count : last_seen(log, rows.lines, counter.key, counter.of)) {
      if (runs.empty() || last != count) runs.push_back(0);
      last = count;
      ++runs.back();
    }
    if (runs.size() <= 4) continue;
    const std::set<std::size_t> inner(runs.begin() + 1, runs.end() - 1);
    if (inner.size() == 1 && *inner.begin() > 1)
      throw Refusal(Refusal::ambiguous,
                    fmt::format("{} lines with {} come for each count of the bar, as from several processes", *inner.begin(),
                                reading.metric));
  }
}

/// Values without a step are counted, unless that cannot be.
void count_values(Found& found, const Rows& rows, const LogKinds& log) {
  if (rows.in_bar)
    throw Refusal(Refusal::ambiguous,
                  "the values stand in a progress bar whose count is not found, and its lines cannot be counted");
  look_for_turns(found.reading, rows, log);
  const auto equal = [&](std::size_t a, std::size_t b) {
    return std::ranges::all_of(rows.columns, [&](const auto& column) {
      return same(column[a], column[b]) && column[a].decimals == column[b].decimals;
    });
  };
  for (std::size_t often = 8; often > 1; --often) {
    if (rows.size() % often != 0 || rows.size() <= often) continue;
    bool alike = true, all_one = true;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      alike = alike && equal(row, row - row % often);
      all_one = all_one && equal(row, 0);
    }
    if (!alike || all_one) continue;
    found.reading.lines_of_value = often;
    found.notes.push_back(fmt::format("each line stands {} times", often));
    return;
  }
}

/// Leaves the rows of one process where several write; true if so.
bool take_one_process(Reading& reading, Rows& rows, const Whole& whole) {
  for (const auto& [key, ranks] : whole) {
    if (!only_process(words_of(key)) || different(ranks) < 2 || !come_in_turns(ranks)) continue;
    const std::int64_t lowest = std::ranges::min(ranks);
    rows = rows.where(key, lowest);
    reading.process_key = key;
    reading.process = lowest;
    return true;
  }
  return false;
}

}  // namespace

void find_step(Found& found, Rows rows, const LogKinds& log) {
  Reading& reading = found.reading;
  Whole whole = whole_columns(rows, reading.metric);
  if (take_one_process(reading, rows, whole)) whole = whole_columns(rows, reading.metric);
  const auto kind_of = [&](const std::string& key) { return step_rank(key, (*rows.column(key))[0].of != 0, rows.in_bar); };
  std::vector<std::string> epochs, steady;
  for (const auto& [key, counts] : whole)
    if (kind_of(key) == StepRank::epoch) {
      epochs.push_back(key);
      if (Counting(counts).falls == 0) steady.push_back(key);
    }
  if (!steady.empty()) epochs = steady;
  std::vector<Option> options;
  for (const auto& [key, counts] : whole) {
    const auto kind = kind_of(key);
    if (!kind || *kind == StepRank::epoch) continue;
    if (auto option = option_of(key, *kind, counts, epochs.empty() ? "" : epochs[0], whole))
      options.push_back(*std::move(option));
  }
  for (const auto& [key, counts] : whole)
    if (std::ranges::count(epochs, key) > 0 && Counting(counts).rises)
      options.push_back({different(counts), kEpochAlone, key, "", false});
  const auto is_sure = [](const Option& option) { return option.rank < 5 || option.rank == kEpochAlone; };
  if (std::ranges::none_of(options, is_sure) && find_elsewhere(reading, rows, log)) return;
  if (std::ranges::any_of(options, [](const Option& option) { return option.rank < 8; }))
    std::erase_if(options, [](const Option& option) { return option.rank >= 8; });
  if (options.empty()) return count_values(found, rows, log);
  const std::size_t most = std::ranges::max(options, {}, &Option::places).places;
  std::erase_if(options, [&](const Option& option) { return 10 * option.places <= 9 * most; });
  const Option best = std::ranges::min(options, {}, &Option::rank);
  reading.step = best.step;
  reading.epoch = best.epoch;
  reading.begins_again = best.begins_again;
  if (reading.begins_again) {
    const auto stands_still = [&](const std::string& key) {
      const auto column = std::ranges::find(whole, key, [](const auto& one) { return one.first; });
      return only_epoch_or_training(words_of(key)) && different(column->second) == 1;
    };
    check_stretches(found, rows, log, std::ranges::any_of(epochs, stands_still));
  }
  find_steps_of_epoch(reading, rows);
  look_at_repeats(found, rows, log);
}

}  // namespace bisectd::driver::learn
