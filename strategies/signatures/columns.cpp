#include "strategies/signatures/columns.hpp"

#include <algorithm>
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
  struct Candidate {
    double score = 0;
    const Class *one = nullptr, *other = nullptr;  // the same: by itself
  };
  std::vector<Candidate> scored;
  const auto score = [&](double nats, double log_prior, const Class* one, const Class* other) {
    if (nats > 0) scored.push_back({kTemper * nats + log_prior, one, other});
  };
  for (std::size_t i = 0; i < classes_.size(); ++i)
    score(gains[i], classes_[i].column.log_prior, &classes_[i], &classes_[i]);
  const std::vector<const Class*> partners = only_lone ? std::vector<const Class*>{} : likely(rows, likelihood, gains);
  Pattern pattern;
  for (const Class* a : partners)
    for (const Class* b : partners) {
      if (a == b) break;
      pattern = a->column.pattern;
      for (std::size_t word = 0; word < pattern.size(); ++word) pattern[word] &= b->column.pattern[word];
      if (const double nats = likelihood.gain(pattern).nats; nats > 0)
        score(nats, log_prior_of_pair(a->members.front(), b->members.front()), a, b);
    }
  std::ranges::stable_sort(scored, std::ranges::greater{}, &Candidate::score);  // the same on any build
  std::vector<Column> columns;
  for (const Candidate& each : scored) {
    if (columns.size() == most) break;
    Column column = each.one->column;
    if (each.one != each.other) {
      const auto [one, other] = std::minmax(each.one->members.front(), each.other->members.front());
      column = {both(column.pattern, each.other->column.pattern), log_prior_of_pair(one, other), {one, other}};
    }
    if (std::ranges::count(columns, column) == 0) columns.push_back(std::move(column));
  }
  return columns;
}

// Members of a cause are active wherever it is: what is unexplained lies where all of them are active. So those are looked
// at that leave the least of it outside, and those that explain most by themselves.
std::vector<const Columns::Class*> Columns::likely(const Rows& rows, const Likelihood& likelihood,
                                                   std::span<const double> gains) const {
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
  return likely;
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
