#include "driver/learn/find.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>

#include "driver/learn/reading.hpp"
#include "driver/learn/words.hpp"

namespace bisectd::driver::learn {
namespace {

constexpr LossRank kWished{LossRank::named, -1};  // the very words of the wish
constexpr LossRank kUnnamed{LossRank::nothing, 0};
constexpr std::size_t kRowsForSum = 24;  // below, a column that is the sum of others may be so by chance

/// A name of a number, with the kinds that have it and how good it is.
struct Named {
  std::string key;
  std::vector<const Kind*> kinds;
  LossRank rank;
  std::size_t rows = 0;
};

bool is_wished(const std::string& key, const std::string& wish) {
  if (key == wish) return true;
  const Words mine = words_of(key), theirs = words_of(wish);
  return mine == theirs || (ends_with_words(mine, theirs) && says_validation(mine) == says_validation(theirs));
}

/// Columns of bare numbers that are always the sum of the two or more before them, and fall: a total of parts.
std::optional<Named> total_without_name(const Kind& kind) {
  const std::size_t width = kind.keys().size(), rows = kind.rows();
  if (rows < kRowsForSum || std::ranges::any_of(kind.keys(), [](const auto& key) { return key[0] != '#'; }))
    return std::nullopt;
  std::vector<std::size_t> finite;
  for (std::size_t row = 0; row < rows; ++row) {
    bool all = true;
    for (std::size_t at = 0; at < width; ++at) all = all && std::isfinite(kind.at(row, at).number);
    if (all) finite.push_back(row);
  }
  if (finite.size() < kRowsForSum) return std::nullopt;
  const auto is_part = [&](std::size_t at) {
    for (std::size_t row = 0; row < rows; ++row)
      if (const Value& value = kind.at(row, at); std::isfinite(value.number) && value.decimals == 0) return false;
    return !kind.at(0, at).has_unit;
  };
  const auto falls = [&](std::size_t at) {
    const std::size_t half = finite.size() / 2;
    for (std::size_t i = 0; i < half; ++i)
      if (kind.at(finite[i], at).number <= kind.at(finite[i + half], at).number) return false;
    return true;
  };
  const auto is_sum = [&](std::size_t at, std::size_t back) {
    for (std::size_t from = at - back; from <= at; ++from)
      if (!is_part(from)) return false;
    return std::ranges::all_of(finite, [&](std::size_t row) {
      double sum = 0, least = 1;
      for (std::size_t from = at - back; from < at; ++from) {
        sum += kind.at(row, from).number;
        least = std::min(least, kind.at(row, from).number);
      }
      const double total = kind.at(row, at).number;
      return least > 0 && std::abs(sum - total) <= 2e-3 * std::abs(total) + 1e-9;
    });
  };
  std::vector<std::size_t> found;
  for (std::size_t at = 3; at < width; ++at)
    for (std::size_t back = 2; back < at; ++back)
      if (is_sum(at, back) && falls(at)) found.push_back(at);
  if (found.size() != 1) return std::nullopt;
  return Named{kind.keys()[found[0]], {&kind}, kUnnamed, rows};
}

std::vector<Named> named_so(const LogKinds& log, const std::string& wish, std::size_t& of_validation) {
  std::vector<Named> all;
  for (const Kind& kind : log.kinds())
    for (std::size_t at = 0; at < kind.keys().size(); ++at) {
      const std::string& key = kind.keys()[at];
      const auto rank = loss_rank(key);
      if (kind.rows() == 0) continue;
      if (wish.empty() ? kind.at(0, at).has_unit || kind.at(0, at).of != 0 || !rank : !is_wished(key, wish)) continue;
      const auto column = kind.column(at);
      if (wish.empty() && std::ranges::all_of(column, &Value::whole)) continue;  // a count, whatever it is called
      if ((says_validation(words_of(key)) || kind.is_validation()) && !says_validation(words_of(wish))) {
        of_validation += kind.rows();
        continue;
      }
      auto known = std::ranges::find(all, key, &Named::key);
      if (known == all.end())
        known = all.insert(all.end(), {key, {}, wish.empty() ? *rank : rank.value_or(LossRank{LossRank::named}), 0});
      known->kinds.push_back(&kind);
      known->rows += kind.rows();
    }
  return all;
}

/// "; there are lr, accuracy": names that numbers have, the most frequent ones.
std::string names_in(const LogKinds& log) {
  constexpr std::size_t kMost = 8;
  std::map<std::string, std::size_t> rows;
  for (const Kind& kind : log.kinds())
    for (const std::string& key : kind.keys())
      if (key[0] != '#' && !key.ends_with("()")) rows[key] += kind.rows();
  std::vector<std::pair<std::string, std::size_t>> names(rows.begin(), rows.end());
  std::ranges::stable_sort(names, std::greater<>(), [](const auto& name) { return name.second; });
  if (names.empty()) return "";
  names.resize(std::min(names.size(), kMost));
  return fmt::format("; there are {}", fmt::join(names | std::views::keys, ", "));
}

bool are_equal(const Named& a, const Named& b, bool& together) {
  bool equal = true;
  for (const Kind* kind : a.kinds) {
    const auto first = kind->column_of(a.key), second = kind->column_of(b.key);
    if (!second) continue;
    together = true;
    for (std::size_t row = 0; row < kind->rows(); ++row)
      equal = equal && same(kind->at(row, *first), kind->at(row, *second));
  }
  return together && equal;
}

/// One of those that are as good by name.
FoundMetric one_of(std::vector<Named> best) {
  std::ranges::stable_sort(best, {}, [](const Named& named) { return named.rank.preference; });
  const LossRank::Kind kind = best[0].rank.kind;
  FoundMetric found{best[0].key, best[0].kinds, {}};
  for (std::size_t at = 1; at < best.size(); ++at) {
    bool together = false;
    if (are_equal(best[0], best[at], together)) continue;
    if (kind <= LossRank::mean && together && best[0].rank.preference != best[at].rank.preference) {
      found.notes.push_back(fmt::format("{} stands in the same lines with other values", best[at].key));
      continue;
    }
    const std::string names = fmt::format("{}", fmt::join(best | std::views::transform(&Named::key), ", "));
    throw Refusal(
        Refusal::ambiguous,
        kind == LossRank::part || kind == LossRank::side
            ? fmt::format("{} numbers are as likely the training loss, and none of them is a total: {}", best.size(), names)
            : fmt::format("as likely: {}", names));
  }
  return found;
}

}  // namespace

FoundMetric find_metric(const LogKinds& log, const std::string& name) {
  const std::string wish = words_of(name) == Words{"loss"} ? "" : name;
  std::size_t of_validation = 0;
  std::vector<Named> all = named_so(log, wish, of_validation);
  if (all.empty() && wish.empty())
    for (const Kind& kind : log.kinds())
      if (auto total = total_without_name(kind)) all.push_back(*std::move(total));
  if (all.empty())
    throw Refusal(Refusal::nothing,
                  of_validation > 0
                      ? fmt::format("{} values of a validation loss, none of the training", of_validation)
                      : fmt::format("no line has a number called {}{}", wish.empty() ? "loss" : wish, names_in(log)));
  const auto exact = [&](const Named& named) { return words_of(named.key) == words_of(wish); };
  if (!wish.empty() && std::ranges::count_if(all, exact) == 1) std::ranges::find_if(all, exact)->rank = kWished;
  std::vector<Named> usual = all;
  if (std::ranges::any_of(all, [](const Named& named) { return named.rank.kind <= LossRank::part; }))
    std::erase_if(usual, [](const Named& named) { return named.rank.kind > LossRank::part; });
  const std::size_t most = std::ranges::max(usual, {}, &Named::rows).rows;
  if (most < 2) throw Refusal(Refusal::nothing, fmt::format("only one value of {}", usual[0].key));
  std::erase_if(usual, [&](const Named& named) { return 2 * named.rows <= most; });
  // A mean beside a part may be the mean of that part.
  const auto is_part = [](const Named& named) { return named.rank == LossRank{LossRank::part, 0}; };
  if (std::ranges::min(usual, {}, &Named::rank).rank.kind == LossRank::mean && std::ranges::any_of(usual, is_part))
    for (Named& named : usual)
      if (named.rank.kind == LossRank::mean) named.rank.kind = LossRank::part;
  const bool wished = std::ranges::count(usual, kWished, &Named::rank) > 0;
  if (wished) std::erase_if(usual, [](const Named& named) { return named.rank != kWished; });
  const LossRank best = std::ranges::min(usual, {}, [](const Named& named) { return named.rank.kind; }).rank;
  std::erase_if(usual, [&](const Named& named) { return named.rank.kind != best.kind; });
  FoundMetric found = one_of(usual);
  const LossRank taken = std::ranges::find(usual, found.key, &Named::key)->rank;
  if (wished) return found;
  if (taken.kind == LossRank::mean || (taken.kind == LossRank::part && taken.preference > 0))
    found.notes.emplace_back("only a mean of the loss is there");
  if (taken.kind == LossRank::nothing)
    found.notes.emplace_back("no name stands there: taken as it is the sum of the numbers before it, and falls");
  else if (taken.kind > LossRank::part) found.notes.push_back(fmt::format("nothing better named than {}", found.key));
  return found;
}

}  // namespace bisectd::driver::learn
