#include "driver/learn/reading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <cmath>
#include <ranges>

#include "driver/learn/find.hpp"
#include "driver/learn/words.hpp"

namespace bisectd::driver::learn {
namespace {

constexpr std::size_t kKeptSigns = 64;  ///< of kinds that only vary one another; the journal keeps them
constexpr std::size_t kShownLine = 100;
constexpr double kAlike = 0.5;  ///< kinds of lines that share more of their words vary one another

std::set<std::string> words_in(const std::string& sign) {
  std::set<std::string> words;
  boost::split(words, sign, boost::is_any_of(" \t\n\v\f\r\x1e\x1f"));
  words.erase("");
  return words;
}

/// How many words two kinds of lines share, of those that stand in either: the most that `words` shares with one of the
/// first few signs. Where a word changes from line to line, there are as many signs as lines.
double most_alike(const std::set<std::string>& words, const auto& signs) {
  constexpr int kCompared = 16;
  double most = 0;
  for (const std::string& sign : signs | std::views::take(kCompared)) {
    const std::set<std::string> others = words_in(sign);
    const auto shared =
        static_cast<double>(std::ranges::count_if(words, [&](const auto& word) { return others.contains(word); }));
    const double all = static_cast<double>(words.size() + others.size()) - shared;
    if (all > 0) most = std::max(most, shared / all);
  }
  return most;
}

bool has_all(const Kind& kind, const std::set<std::string>& keys) {
  return std::ranges::all_of(keys, [&](const std::string& key) { return kind.column_of(key).has_value(); });
}

bool is_read(const Reading& reading, const Kind& kind) {
  if (reading.signs.contains(kind.sign())) return has_all(kind, reading.keys);
  if (reading.refused.contains(kind.sign()) || !has_all(kind, reading.keys) || kind.is_validation()) return false;
  const auto words = words_in(kind.sign());
  const double near = most_alike(words, reading.signs);
  return near > kAlike && near > most_alike(words, reading.refused | std::views::keys);
}

std::vector<const Kind*> kinds_read(const Reading& reading, const LogKinds& log) {
  std::vector<const Kind*> kinds;
  for (const Kind& kind : log.kinds())
    if (kind.rows() > 0 && is_read(reading, kind)) kinds.push_back(&kind);
  return kinds;
}

std::vector<const Kind*> with_signs(const std::vector<const Kind*>& kinds, const std::set<std::string>& signs) {
  std::vector<const Kind*> some;
  std::ranges::copy_if(kinds, std::back_inserter(some), [&](const Kind* kind) { return signs.contains(kind->sign()); });
  return some;
}

bool has_step(const Kind& kind) {
  for (std::size_t at = 0; at < kind.keys().size(); ++at)
    if (const auto rank = step_rank(kind.keys()[at], kind.at(0, at).of != 0, kind.in_bar());
        rank && *rank <= StepRank::counted)
      return true;
  return false;
}

/// One line for each epoch?
bool is_of_each_epoch(const Kind& kind) {
  for (std::size_t at = 0; at < kind.keys().size(); ++at) {
    if (step_rank(kind.keys()[at], kind.at(0, at).of != 0, kind.in_bar()) != StepRank::epoch) continue;
    const auto column = kind.column(at);
    const Counting going(counts_of(column));
    if (std::ranges::all_of(column, &Value::whole) && going.rises && going.delta == 1 && going.even == 1 &&
        going.ups + 1 == column.size())
      return true;
  }
  return false;
}

/// Does one such line come after each line that is read?
bool comes_beside(const Kind& kind, const std::vector<const Kind*>& main) {
  std::vector<std::pair<std::int64_t, bool>> lines;
  for (std::size_t row = 0; row < kind.rows(); ++row) lines.emplace_back(kind.line_of(row), false);
  for (const Kind* one : main)
    for (std::size_t row = 0; row < one->rows(); ++row) lines.emplace_back(one->line_of(row), true);
  std::ranges::sort(lines);
  std::size_t changes = 0;
  for (std::size_t at = 1; at < lines.size(); ++at) changes += lines[at].second != lines[at - 1].second;
  return 5 * changes > 4 * lines.size();
}

/// What the other kinds of lines with the metric are: they vary the main one, repeat it, sum it up, or stand against it.
void place_others(Found& found, std::vector<const Kind*> kinds, const std::vector<const Kind*>& main, bool main_has_step,
                  const LogKinds& log) {
  Reading& reading = found.reading;
  found.points = points_of(reading, rows_of(main), log);
  std::vector<std::vector<Value>> known(1);
  for (const LogPoint& point : found.points) known[0].push_back(point.value);
  std::ranges::stable_sort(kinds, {}, [](const Kind* kind) { return !is_of_each_epoch(*kind); });
  for (const Kind* kind : kinds) {
    if (reading.signs.contains(kind->sign())) continue;
    const std::vector<Value> column = kind->column(*kind->column_of(reading.metric));
    std::vector<LogPoint> more;
    if (has_all(*kind, reading.keys) && !reading.step.empty() && !reading.step_elsewhere)
      more = points_of(reading, rows_of({kind}), log);
    std::map<std::int64_t, Value> series;
    for (const LogPoint& point : found.points) series[point.step] = point.value;
    std::size_t both = 0;
    bool repeats = true;
    for (const LogPoint& point : more)
      if (const auto at = series.find(point.step); at != series.end()) {
        ++both;
        repeats = repeats && same(at->second, point.value);
      }
    std::string& why = reading.refused[kind->sign()];
    if (!more.empty() && 10 * both <= more.size() && most_alike(words_in(kind->sign()), reading.signs) > kAlike) {
      reading.refused.erase(kind->sign());
      reading.signs.insert(kind->sign());
      found.points = points_of(reading, rows_of(with_signs(kinds, reading.signs)), log);
    } else if ((both > 0 && repeats) ||
               std::ranges::any_of(known, [&](const auto& values) { return std::ranges::equal(values, column, same); })) {
      why = "that repeat a value";
    } else if (std::ranges::none_of(column, [](const Value& value) { return std::isfinite(value.number); })) {
      why = "that only say NaN";
    } else if (main_has_step && ((is_of_each_epoch(*kind) && !is_of_each_epoch(*main[0])) ||
                                 (!has_step(*kind) && more.empty() && comes_beside(*kind, main)))) {
      why = is_of_each_epoch(*kind) ? "of a summary" : "without that step";
      known.push_back(column);
    } else if (4 * (more.empty() ? column.size() : more.size()) > found.points.size()) {
      throw Refusal(Refusal::ambiguous, fmt::format("two kinds of lines have {} as often: \"{}\" and \"{}\"", reading.metric,
                                                    reading.line.substr(0, kShownLine), kind->line().substr(0, kShownLine)));
    } else {
      why = "of a summary";
      known.push_back(column);
    }
  }
}

/// Counts what is not read.
void count_left_out(Found& found, const LogKinds& log) {
  std::map<std::string, std::size_t> why;
  for (const Kind& kind : log.kinds()) {
    if (is_read(found.reading, kind)) continue;
    const auto known = found.reading.refused.find(kind.sign());
    const auto speaks_of_it = [](const std::string& key) { return says_validation(words_of(key)); };
    if (known != found.reading.refused.end()) why[known->second] += kind.rows();
    else if (kind.is_validation() || std::ranges::any_of(kind.keys(), speaks_of_it)) why["of validation"] += kind.rows();
  }
  const Reading& reading = found.reading;
  const Rows rows = reading.process_key.empty() ? Rows{} : rows_of(kinds_read(reading, log));
  if (const auto* who = rows.column(reading.process_key)) {
    const bool named = reading.process_key[0] != '#';
    why[named ? fmt::format("of other {}s than {}", reading.process_key, reading.process)
              : fmt::format("whose first number is not {}", reading.process)] =
        static_cast<std::size_t>(
            std::ranges::count_if(*who, [&](const Value& value) { return value.count() != reading.process; }));
  }
  for (const auto& [what, lines] : why)
    if (lines > 0) found.left_out.emplace_back(lines, what);
}

/// A number at the end of a log that ends in the middle of a line may be the beginning of another one.
void drop_cut_value(Found& found, const LogKinds& log) {
  if (!log.cut_value() || found.points.size() < 3) return;
  const Value& last = found.points.back().value;
  int least = 9;
  for (std::size_t at = 0; at + 1 < found.points.size(); ++at)
    if (std::isfinite(found.points[at].value.number)) least = std::min<int>(least, found.points[at].value.decimals);
  if (!std::isfinite(last.number) || last.number != log.cut_value()->number || last.decimals >= least) return;
  found.points.pop_back();
  found.notes.emplace_back("the last line is cut");
}

}  // namespace

Found learn(const LogKinds& log, const std::string& metric) {
  auto [key, kinds, notes] = find_metric(log, metric);
  std::ranges::stable_sort(kinds, std::greater<>(), [](const Kind* kind) { return kind->rows(); });
  const std::size_t most = kinds[0]->rows();
  const auto is_stepped = [&](const Kind* kind) { return 2 * kind->rows() > most && has_step(*kind); };
  std::ranges::stable_sort(kinds, {}, [&](const Kind* kind) { return !is_stepped(kind); });
  std::vector<const Kind*> main;
  std::size_t rows = 0;
  for (const Kind* kind : kinds)
    if (kind->keys() == kinds[0]->keys()) {
      main.push_back(kind);
      rows += kind->rows();
    }
  if (2 * main[0]->rows() > rows) main.resize(1);  // else the words of one kind change from line to line
  Found found;
  found.notes = std::move(notes);
  Reading& reading = found.reading;
  reading.metric = key;
  reading.line = main[0]->line();
  for (const Kind* kind : main) reading.signs.insert(kind->sign());
  const bool main_has_step = is_stepped(main[0]);
  find_step(found, rows_of(main), log);
  reading.keys = {key};
  for (const std::string& needed :
       {reading.step_elsewhere ? std::string() : reading.step, reading.epoch, reading.process_key})
    if (!needed.empty()) reading.keys.insert(needed);
  place_others(found, kinds, main, main_has_step, log);
  drop_cut_value(found, log);
  if (found.points.size() < 2) throw Refusal(Refusal::nothing, fmt::format("only one value of {}", key));
  count_left_out(found, log);
  while (reading.signs.size() > kKeptSigns) reading.signs.erase(std::prev(reading.signs.end()));
  return found;
}

Found follow(const Reading& reading, const LogKinds& log) {
  Found found{.reading = reading, .points = {}, .left_out = {}, .notes = {}};
  const auto kinds = kinds_read(reading, log);
  found.points = points_of(reading, rows_of(kinds), log);
  if (!kinds.empty()) found.reading.line = kinds[0]->line();
  drop_cut_value(found, log);
  count_left_out(found, log);
  return found;
}

std::vector<LogPoint> beside(const Reading& reading, const LogKinds& log, const std::vector<std::string>& names) {
  const auto kinds = kinds_read(reading, log);
  for (const Kind* kind : kinds)
    for (const std::string& key : kind->keys()) {
      const Words words = words_of(key);
      if (std::ranges::none_of(names, [&](const std::string& name) { return ends_with_words(words, words_of(name)); }))
        continue;
      std::vector<const Kind*> with;
      std::ranges::copy_if(kinds, std::back_inserter(with),
                           [&](const Kind* one) { return one->column_of(key).has_value(); });
      Reading other = reading;
      other.metric = key;
      return points_of(other, rows_of(with), log);
    }
  return {};
}

std::string said(const Found& found) {
  const Reading& reading = found.reading;
  const std::string where = found.points.empty() ? "none"
                            : reading.step.empty()
                                ? "counted, as no step stands there"
                                : fmt::format("steps {} to {}", found.points.front().step, found.points.back().step);
  std::string text = fmt::format("read {} values of {}, {}, from lines like \"{}\"", found.points.size(), reading.metric,
                                 where, reading.line.substr(0, kShownLine));
  for (std::size_t at = 0; at < found.left_out.size(); ++at)
    text += fmt::format("{}{} line{} {}", at == 0 ? "; left out: " : ", ", found.left_out[at].first,
                        found.left_out[at].first == 1 ? "" : "s", found.left_out[at].second);
  for (const std::string& note : found.notes) text += "; " + note;
  return text;
}

}  // namespace bisectd::driver::learn
