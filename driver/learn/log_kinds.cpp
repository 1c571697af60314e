#include "driver/learn/log_kinds.hpp"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <map>
#include <tuple>
#include <utility>

#include "driver/learn/words.hpp"

namespace bisectd::driver::learn {
namespace {

bool speaks_of_validation(const Shape& shape) {
  const Words standing = words_of(shape.words);
  const auto counts_validation = [](const std::string& key) {
    const Words words = words_of(key);
    return says_step_batch_or_epoch(words) && says_validation(words);
  };
  return !says_training(standing) && (says_validation(standing) || std::ranges::any_of(shape.keys, counts_validation));
}

}  // namespace

Kind::Kind(const Shape& shape, std::string_view line)
    : shape_(&shape), line_(boost::trim_copy(std::string(line))), is_validation_(speaks_of_validation(shape)) {}

std::optional<std::size_t> Kind::column_of(std::string_view key) const {
  const auto found = std::ranges::find(keys(), key);
  return found == keys().end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - keys().begin()));
}

std::vector<Value> Kind::column(std::size_t column) const {
  std::vector<Value> values(rows());
  for (std::size_t row = 0; row < rows(); ++row) values[row] = at(row, column);
  return values;
}

void Kind::add(std::int64_t line, const std::vector<Value>& values) {
  lines_.push_back(line);
  values_.insert(values_.end(), values.begin(), values.end());
}

void LogKinds::feed(std::string_view whole_lines) {
  plain_.feed(whole_lines, [this](std::string_view line) { take(line); });
}

void LogKinds::finish(std::string_view rest) {
  plain_.finish(rest, [this](std::string_view line) { take(line); });
  std::optional<FoundValue> last;
  for (auto found = find_value(rest, 0); found; found = find_value(rest, found->end)) last = found;
  if (last && last->end == rest.size()) cut_value_ = last->value;
}

void LogKinds::take(std::string_view line) {
  const std::int64_t place = lines_++;
  const Shape* shape = parser_.parse(line, values_);
  if (!shape) return;
  Kind*& kind = by_shape_[shape];
  if (!kind) kind = &kinds_.emplace_back(*shape, line);
  kind->add(place, values_);
}

const std::vector<Value>* Rows::column(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &columns[static_cast<std::size_t>(found - keys.begin())];
}

Rows Rows::where(std::string_view key, std::int64_t count) const {
  Rows some{.lines = {}, .keys = keys, .columns = std::vector<std::vector<Value>>(columns.size()), .in_bar = in_bar};
  const std::vector<Value>* of = column(key);
  for (std::size_t row = 0; of && row < size(); ++row) {
    if ((*of)[row].count() != count) continue;
    some.lines.push_back(lines[row]);
    for (std::size_t at = 0; at < columns.size(); ++at) some.columns[at].push_back(columns[at][row]);
  }
  return some;
}

Rows rows_of(const std::vector<const Kind*>& kinds) {
  Rows rows;
  std::vector<std::tuple<std::int64_t, const Kind*, std::size_t>> order;
  for (const Kind* kind : kinds)
    for (std::size_t row = 0; row < kind->rows(); ++row) order.emplace_back(kind->line_of(row), kind, row);
  std::ranges::stable_sort(order, {}, [](const auto& one) { return std::get<0>(one); });
  if (order.empty()) return rows;
  const Kind* first = std::get<1>(order.front());
  rows.in_bar = first->in_bar();
  for (const std::string& key : first->keys())
    if (std::ranges::all_of(kinds, [&](const Kind* kind) { return kind->rows() == 0 || kind->column_of(key); }))
      rows.keys.push_back(key);
  std::map<const Kind*, std::vector<std::size_t>> columns;
  for (const Kind* kind : kinds)
    for (const std::string& key : rows.keys) columns[kind].push_back(kind->column_of(key).value_or(0));
  rows.columns.resize(rows.keys.size());
  for (const auto& [line, kind, row] : order) {
    rows.lines.push_back(line);
    const std::vector<std::size_t>& from = columns[kind];
    for (std::size_t at = 0; at < rows.keys.size(); ++at) rows.columns[at].push_back(kind->at(row, from[at]));
  }
  return rows;
}

Counting::Counting(const std::vector<std::int64_t>& numbers) {
  std::map<std::int64_t, std::size_t> often;
  std::vector<std::int64_t> order;  // of steps up as they came: of two as usual, the first
  std::vector<std::int64_t> starts(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(!numbers.empty()));
  for (std::size_t at = 1; at < numbers.size(); ++at) {
    const std::int64_t up = numbers[at] - numbers[at - 1];
    if (up > 0) {
      ++ups;
      if (++often[up] == 1) order.push_back(up);
    } else if (up < 0) {
      ++falls;
      starts.push_back(numbers[at]);
    }
  }
  for (const std::int64_t up : order)
    if (delta == 0 || often[up] > often[delta]) delta = up;
  even = ups > 0 ? static_cast<double>(often[delta]) / static_cast<double>(ups) : 0;
  rises = ups > 0 && falls == 0;
  if (falls > 0 && *std::ranges::max_element(starts) - *std::ranges::min_element(starts) < delta) restarts = falls;
}

std::vector<std::int64_t> counts_of(const std::vector<Value>& values) {
  std::vector<std::int64_t> counts(values.size());
  std::ranges::transform(values, counts.begin(), &Value::count);
  return counts;
}

}  // namespace bisectd::driver::learn
