#include "strategies/signatures/columns.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "strategies/logarithm.hpp"
#include "strategies/prior.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr std::size_t kPartners = 40;           // suspects of which all pairs are looked at
constexpr double kWorthKeeping = 1e-4;          // weight of a hypothesis
constexpr std::size_t kMostPairs = 4000;        // hypotheses for one cause
constexpr std::size_t kMostLookedAt = 100'000;  // pairs, for one cause: some ten milliseconds

// e^x for x <= 0 by squaring: the same on every machine.
double exp_of(double x) {
  if (x < -60) return 0;
  const double y = x / 1024;
  double power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4)));
  for (int i = 0; i < 10; ++i) power *= power;
  return power;
}

}  // namespace

Columns::Columns(std::vector<double> odds) : share_(std::move(odds)) {
  double sum = 0;
  for (double o : share_) sum += o;
  for (double& o : share_) o /= sum;
}

double Columns::log_prior_of_pair(SuspectId a, SuspectId b) const {
  return portable_ln(2 * kJointCause * share_[a] * share_[b]);
}

void Columns::sort(const Rows& rows) {
  std::map<Pattern, Class> classes;
  for (SuspectId suspect = 0; suspect < share_.size(); ++suspect) {
    Class& one = classes[rows.pattern(suspect)];
    one.odds += share_[suspect];
    one.members.push_back(suspect);
  }
  classes_.clear();
  for (auto& [pattern, one] : classes) {
    if (count_of(pattern) == 0) continue;
    one.column = {pattern, portable_ln(kLoneCause * one.odds), {one.members.front()}};
    classes_.push_back(std::move(one));
  }
}

std::vector<Column> Columns::candidates(const Rows& rows, const Likelihood& likelihood, std::size_t most,
                                        bool only_lone) const {
  std::vector<double> gains;  // in nats, by class
  for (const Class& one : classes_) gains.push_back(likelihood.gain(one.column.pattern).nats);
  const Pairs together = only_lone ? Pairs{} : pairs(rows, likelihood, gains);
  std::vector<std::pair<double, std::size_t>> scored;  // by score, then by place: the same on any build
  const auto score = [&](double nats, double log_prior, std::size_t place) {
    if (nats > 0) scored.emplace_back(-(kTemper * nats + log_prior), place);
  };
  for (std::size_t i = 0; i < classes_.size(); ++i) score(gains[i], classes_[i].column.log_prior, i);
  for (std::size_t i = 0; i < together.all.size(); ++i)
    score(likelihood.gain(together.pattern(together.all[i])).nats, together.all[i].log_prior, classes_.size() + i);
  const auto end = scored.begin() + static_cast<std::ptrdiff_t>(std::min(most, scored.size()));
  std::ranges::partial_sort(scored, end);
  std::vector<Column> columns;
  for (auto each = scored.begin(); each != end; ++each) {
    if (each->second < classes_.size()) {
      columns.push_back(classes_[each->second].column);
    } else {
      const Pair& pair = together.all[each->second - classes_.size()];
      const auto pattern = together.pattern(pair);
      columns.push_back({Pattern(pattern.begin(), pattern.end()), pair.log_prior, {pair.one, pair.other}});
    }
  }
  return columns;
}

// Members of a cause are active wherever it is: what is unexplained lies where all of them are active. So those are looked
// at that leave the least of it outside, and those that explain most by themselves.
Columns::Pairs Columns::pairs(const Rows& rows, const Likelihood& likelihood, std::span<const double> gains) const {
  const std::vector<double> unexplained = likelihood.unexplained();
  std::vector<std::pair<double, const Class*>> by_gain, by_rest;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    by_gain.emplace_back(-gains[i], &classes_[i]);
    double rest = 0;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (!holds(classes_[i].column.pattern, row)) rest += unexplained[row];
    by_rest.emplace_back(rest, &classes_[i]);
  }
  std::vector<const Class*> likely;
  for (auto* list : {&by_gain, &by_rest}) {
    const auto end = list->begin() + static_cast<std::ptrdiff_t>(std::min(kPartners, list->size()));
    std::ranges::partial_sort(*list, end, {},
                              [](const auto& each) { return std::pair(each.first, each.second->members.front()); });
    for (auto each = list->begin(); each != end; ++each)
      if (std::ranges::find(likely, each->second) == likely.end()) likely.push_back(each->second);
  }
  Pairs found{(rows.size() + 63) / 64, {}, {}};
  for (std::size_t a = 0; a < likely.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const std::size_t place = found.words.size();
      bool any = false;
      for (std::size_t word = 0; word < found.width; ++word) {
        found.words.push_back(likely[a]->column.pattern[word] & likely[b]->column.pattern[word]);
        any = any || found.words.back() != 0;
      }
      if (any) {
        const auto [one, other] = std::minmax(likely[a]->members.front(), likely[b]->members.front());
        found.all.push_back({log_prior_of_pair(one, other), one, other, place / found.width});
      } else {
        found.words.resize(place);
      }
    }
  // Of each pattern the likeliest, and of these the first.
  std::ranges::stable_sort(found.all, [&](const Pair& x, const Pair& y) {
    const auto of_x = found.pattern(x), of_y = found.pattern(y);
    const std::strong_ordering order =
        std::lexicographical_compare_three_way(of_x.begin(), of_x.end(), of_y.begin(), of_y.end());
    return order != 0 ? order < 0 : x.log_prior > y.log_prior;
  });
  const auto doubles = std::ranges::unique(
      found.all, [&](const Pair& x, const Pair& y) { return std::ranges::equal(found.pattern(x), found.pattern(y)); });
  found.all.erase(doubles.begin(), doubles.end());
  return found;
}

std::vector<Hypothesis> Columns::hypotheses(const Rows& rows, const Likelihood& without, const std::vector<Column>& others,
                                            const Column& column) const {
  const Pattern& pattern = column.pattern;
  const double here = without.gain(pattern).nats;
  std::vector<Hypothesis> cause;
  for (const Class& one : classes_) {
    if (std::ranges::count(others, one.column)) continue;
    const double nats = without.gain(one.column.pattern).nats;
    const double likelihood = exp_of(std::min(0.0, kTemper * (nats - here)));
    if (likelihood < kWorthKeeping) continue;
    for (SuspectId member : one.members) cause.push_back({{member}, likelihood * kLoneCause * share_[member]});
  }
  std::vector<SuspectId> wider;  // active wherever the cause is
  for (const Class& one : classes_)
    if (are_together(one.column.pattern, pattern, pattern))
      wider.insert(wider.end(), one.members.begin(), one.members.end());
  std::ranges::sort(wider);
  std::vector<Hypothesis> together;
  const std::size_t step = 1 + wider.size() * wider.size() / 2 / kMostLookedAt;
  std::size_t turn = 0;
  for (std::size_t a = 0; a < wider.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (++turn % step != 0) continue;  // of very many an even sample
      if (!are_together(rows.pattern(wider[a]), rows.pattern(wider[b]), pattern)) continue;
      together.push_back(
          {{wider[b], wider[a]}, static_cast<double>(step) * 2 * kJointCause * share_[wider[a]] * share_[wider[b]]});
    }
  const std::size_t kept = 1 + together.size() / kMostPairs;  // and of these
  for (std::size_t i = 0; i < together.size(); i += kept) {
    together[i].weight *= static_cast<double>(kept);
    cause.push_back(std::move(together[i]));
  }
  if (cause.empty()) cause.push_back({column.example, 1});  // that the sample missed
  double sum = 0;
  for (const Hypothesis& each : cause) sum += each.weight;
  for (Hypothesis& each : cause) each.weight /= sum;
  std::erase_if(cause, [&](const Hypothesis& each) { return each.members.size() == 1 && each.weight < kWorthKeeping / 10; });
  std::ranges::stable_sort(cause, std::ranges::greater{}, &Hypothesis::weight);
  return cause;
}

}  // namespace bisectd::strategies::signatures
