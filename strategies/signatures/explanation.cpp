// See explanation.hpp. Suspects that were active in the same trials cannot be told apart, so they are searched as one.
#include "strategies/signatures/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "strategies/logarithm.hpp"
#include "strategies/prior.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr double kTemper = 0.5;                          // steps of one training are not independent
constexpr std::array kShares{0.001, 0.003, 0.01, 0.03};  // of a difference that changes with what else is active
constexpr std::array kInteractions{0.1, 0.01, 0.0};  // variance of what two causes add to their sum, of the smaller one's
constexpr std::array kBackgrounds{0.0, 3.0, 30.0, 300.0, 3000.0};  // variance of all healthy suspects together
constexpr std::size_t kMostMoves = 6,
                      kMostCauses = 12;         // and not more than one for three trials: more could explain anything
constexpr std::size_t kTried = 6;               // candidates of which the whole likelihood is computed
constexpr std::size_t kPartners = 40;           // suspects of which all pairs are looked at
constexpr double kStrong = 10;                  // log odds from which a cause is more than a chance of the rounding
constexpr double kWorthKeeping = 1e-4;          // weight of a hypothesis
constexpr std::size_t kMostPairs = 4000;        // hypotheses for one cause
constexpr std::size_t kMostLookedAt = 100'000;  // pairs, for one cause: some ten milliseconds
constexpr double kImproves = 1e-6;

// e^x for x <= 0 by squaring: the same on every machine.
double exp_of(double x) {
  if (x < -60) return 0;
  const double y = x / 1024;
  double power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4)));
  for (int i = 0; i < 10; ++i) power *= power;
  return power;
}

// The number of causes k has a prior that falls with k^-2.5, like that of the engine `causes`.
double log_prior_of_count(std::size_t k) { return k == 0 ? 0 : -2.5 * ln_exact(static_cast<double>(k)); }

// What a suspect changes only while a lone cause is active is no further cause: neutralising the lone one mends it, too.
void drop_interactions(Explanation& explanation) {
  std::vector<SuspectId> lone;
  for (const Cause& cause : explanation)
    if (cause.likeliest().members.size() == 1) lone.push_back(cause.likeliest().members.front());
  std::erase_if(explanation, [&](const Cause& cause) {
    const auto& members = cause.likeliest().members;
    return members.size() > 1 &&
           std::ranges::any_of(members, [&](SuspectId member) { return std::ranges::count(lone, member) > 0; });
  });
}

}  // namespace

Explainer::Explainer(std::vector<double> odds) : share_(std::move(odds)) {
  double sum = 0;
  for (double o : share_) sum += o;
  for (double& o : share_) o /= sum;
}

double Explainer::log_prior_of_pair(SuspectId a, SuspectId b) const {
  return ln_exact(2 * kJointCause * share_[a] * share_[b]);
}

void Explainer::sort_into_classes(const Rows& rows) {
  std::map<Pattern, Class> classes;
  for (SuspectId suspect = 0; suspect < share_.size(); ++suspect) {
    Class& one = classes[rows.pattern(suspect)];
    one.odds += share_[suspect];
    one.members.push_back(suspect);
  }
  classes_.clear();
  for (auto& [pattern, one] : classes) {
    if (count_of(pattern) == 0) continue;
    one.column = {pattern, ln_exact(kLoneCause * one.odds), {one.members.front()}};
    classes_.push_back(std::move(one));
  }
}

Explainer::World Explainer::world(const Rows& rows, const std::vector<double>& whole, const Assumptions& assumed) const {
  double constant = 0;
  for (double step : whole) constant -= 0.5 * ln_exact(1 + assumed.share * step * assumed.share * step);
  return {rows, rows.whitened(whole, assumed.share), assumed, constant * static_cast<double>(rows.size()),
          rows.everywhere()};
}

// Variances by coordinate ascent: each at its best given the others.
Explainer::Model Explainer::model(const World& world, std::vector<Column> columns) const {
  Likelihood likelihood(world.rows, world.whitened, world.assumed.share, world.assumed.background);
  std::vector<double> variance(columns.size(), 0.0);
  double prior = log_prior_of_count(columns.size()), offset = 0;
  const auto ascend = [&](const Pattern& pattern, double& own) {
    if (own > 0) likelihood.remove(pattern, own);
    own = likelihood.gain(pattern).variance;
    likelihood.add(pattern, own);
  };
  constexpr int kSweeps = 3;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    ascend(world.everywhere, offset);
    for (std::size_t i = 0; i < columns.size(); ++i) ascend(columns[i].pattern, variance[i]);
  }
  for (const Column& column : columns) prior += column.log_prior;
  for (std::size_t a = 0; world.assumed.interaction > 0 && a < columns.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      likelihood.add(both(columns[a].pattern, columns[b].pattern),
                     world.assumed.interaction * std::min(variance[a], variance[b]));
  const double score = kTemper * (likelihood.nats() + world.constant) + prior;
  return {std::move(columns), std::move(variance), std::move(likelihood), score};
}

// Lone suspects and pairs, best first.
std::vector<Explainer::Column> Explainer::candidates(const World& world, const Likelihood& likelihood,
                                                     std::size_t most) const {
  const std::vector<Column> together = pairs(world, likelihood);
  const auto column = [&](std::size_t i) -> const Column& {
    return i < classes_.size() ? classes_[i].column : together[i - classes_.size()];
  };
  std::vector<std::pair<double, std::size_t>> scored;  // by score, then by place: the same on any build
  for (std::size_t i = 0; i < classes_.size() + together.size(); ++i) {
    const double nats = likelihood.gain(column(i).pattern).nats;
    if (nats > 0) scored.emplace_back(-(kTemper * nats + column(i).log_prior), i);
  }
  const auto end = scored.begin() + static_cast<std::ptrdiff_t>(std::min(most, scored.size()));
  std::ranges::partial_sort(scored, end);
  std::vector<Column> columns;
  for (auto each = scored.begin(); each != end; ++each) columns.push_back(column(each->second));
  return columns;
}

// Members of a cause are active wherever it is: what is unexplained lies where all of them are active. So those are looked
// at that leave the least of it outside, and those that explain most by themselves.
std::vector<Explainer::Column> Explainer::pairs(const World& world, const Likelihood& likelihood) const {
  const std::vector<double> unexplained = likelihood.unexplained();
  std::vector<std::pair<double, const Class*>> by_gain, by_rest;
  for (const Class& one : classes_) {
    by_gain.emplace_back(-likelihood.gain(one.column.pattern).nats, &one);
    double rest = 0;
    for (std::size_t row = 0; row < world.rows.size(); ++row)
      if (!holds(one.column.pattern, row)) rest += unexplained[row];
    by_rest.emplace_back(rest, &one);
  }
  std::vector<const Class*> likely;
  for (auto* list : {&by_gain, &by_rest}) {
    const auto end = list->begin() + static_cast<std::ptrdiff_t>(std::min(kPartners, list->size()));
    std::ranges::partial_sort(*list, end, {},
                              [](const auto& each) { return std::pair(each.first, each.second->members.front()); });
    for (auto each = list->begin(); each != end; ++each)
      if (std::ranges::find(likely, each->second) == likely.end()) likely.push_back(each->second);
  }
  std::map<Pattern, Column> found;
  for (std::size_t a = 0; a < likely.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      Pattern pattern = both(likely[a]->column.pattern, likely[b]->column.pattern);
      if (count_of(pattern) == 0) continue;
      SuspectId one = likely[a]->members.front(), other = likely[b]->members.front();
      if (one > other) std::swap(one, other);
      Column column{pattern, log_prior_of_pair(one, other), {one, other}};
      const auto [at, fresh] = found.try_emplace(std::move(pattern), column);
      if (!fresh && at->second.log_prior < column.log_prior) at->second = std::move(column);
    }
  std::vector<Column> columns;
  columns.reserve(found.size());
  for (auto& [pattern, column] : found) columns.push_back(std::move(column));
  return columns;
}

Explainer::Column Explainer::remembered(const Rows& rows, const std::vector<SuspectId>& members) const {
  const Pattern pattern = rows.pattern(members);
  const auto one = std::ranges::find_if(classes_, [&](const Class& each) { return each.column.pattern == pattern; });
  if (members.size() == 1 || one != classes_.end()) return one->column;
  return {pattern, log_prior_of_pair(members.front(), members.back()), members};
}

// The candidate that improves the model most; false if none does.
bool Explainer::add_one(const World& world, Model& current) const {
  if (current.columns.size() >= std::min(kMostCauses, 2 + world.rows.size() / 3)) return false;
  std::optional<Model> better;
  for (const Column& candidate : candidates(world, current.likelihood, kTried)) {
    if (std::ranges::count(current.columns, candidate)) continue;
    std::vector<Column> columns = current.columns;
    columns.push_back(candidate);
    Model next = model(world, std::move(columns));
    if (next.score > (better ? better->score : current.score) + kImproves) better = std::move(next);
  }
  if (better) current = std::move(*better);
  return better.has_value();
}

Explainer::Model Explainer::pruned(const World& world, Model current) const {
  for (std::size_t i = current.columns.size(); i-- > 0;) {
    std::vector<Column> fewer = current.columns;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Model without = model(world, std::move(fewer)); without.score > current.score) current = std::move(without);
  }
  return current;
}

Explainer::Model Explainer::grown(const World& world, Model current) const {
  current = pruned(world, std::move(current));
  while (add_one(world, current)) {
  }
  return pruned(world, std::move(current));
}

// One column after the other is taken out, and another one put in its place where that explains more.
Explainer::Model Explainer::exchanged(const World& world, Model current) const {
  for (std::size_t move = 0; move < kMostMoves; ++move) {
    std::optional<Model> better;
    for (std::size_t i = 0; i < current.columns.size(); ++i) {
      std::vector<Column> fewer = current.columns;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      Model without = model(world, std::move(fewer));
      add_one(world, without);
      if (without.score > (better ? better->score : current.score) + kImproves) better = std::move(without);
    }
    if (!better) break;
    current = grown(world, std::move(*better));
  }
  return current;
}

// Everything that has the pattern of this column, and lone suspects whose pattern would do nearly as well in its place.
std::vector<Hypothesis> Explainer::hypotheses(const World& world, const Model& model_now, std::size_t column) const {
  std::vector<Column> others = model_now.columns;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(column));
  const Likelihood without = model(world, others).likelihood;
  const Pattern& pattern = model_now.columns[column].pattern;
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
    if (both(one.column.pattern, pattern) == pattern) wider.insert(wider.end(), one.members.begin(), one.members.end());
  std::ranges::sort(wider);
  std::vector<Hypothesis> together;
  const std::size_t step = 1 + wider.size() * wider.size() / 2 / kMostLookedAt;
  std::size_t turn = 0;
  for (std::size_t a = 0; a < wider.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (++turn % step != 0) continue;  // of very many an even sample
      if (both(world.rows.pattern(wider[a]), world.rows.pattern(wider[b])) != pattern) continue;
      together.push_back(
          {{wider[b], wider[a]}, static_cast<double>(step) * 2 * kJointCause * share_[wider[a]] * share_[wider[b]]});
    }
  const std::size_t kept = 1 + together.size() / kMostPairs;  // and of these
  for (std::size_t i = 0; i < together.size(); i += kept) {
    together[i].weight *= static_cast<double>(kept);
    cause.push_back(std::move(together[i]));
  }
  if (cause.empty()) cause.push_back({model_now.columns[column].example, 1});  // that the sample missed
  double sum = 0;
  for (const Hypothesis& each : cause) sum += each.weight;
  for (Hypothesis& each : cause) each.weight /= sum;
  std::erase_if(cause, [&](const Hypothesis& each) { return each.members.size() == 1 && each.weight < kWorthKeeping / 10; });
  std::ranges::stable_sort(cause, std::ranges::greater{}, &Hypothesis::weight);
  return cause;
}

Explanation Explainer::explain(const Rows& rows, const std::vector<double>& whole) {
  if (rows.size() == 0) return {};
  sort_into_classes(rows);
  std::vector<Column> start;
  for (const std::vector<SuspectId>& members : before_)
    if (Column column = remembered(rows, members); !std::ranges::count(start, column)) start.push_back(std::move(column));
  std::optional<Model> likeliest;
  std::optional<World> its_world;
  Assumptions assumed = assumed_;
  const auto consider = [&](const Assumptions& these) {
    World here = world(rows, whole, these);
    Model found = grown(here, model(here, start));
    if (likeliest && found.score <= likeliest->score) return false;
    likeliest = std::move(found);
    its_world.emplace(std::move(here));
    assumed = these;
    return true;
  };
  const auto climb = [&](double Assumptions::*which, std::span<const double> values) {
    for (double value : values) {
      Assumptions these = assumed;
      these.*which = value;
      if (!likeliest || these.*which != assumed.*which) consider(these);
    }
  };
  climb(&Assumptions::interaction, kInteractions);
  climb(&Assumptions::share, kShares);
  climb(&Assumptions::background, kBackgrounds);
  assumed_ = assumed;
  whole_squares_ = 0;
  for (const double step : whole)
    whole_squares_ += step * step / (1 + assumed.share * step * assumed.share * step) / static_cast<double>(whole.size());
  likeliest = exchanged(*its_world, std::move(*likeliest));

  before_.clear();
  Explanation explanation;
  for (std::size_t i = 0; i < likeliest->columns.size(); ++i) {
    Cause cause{hypotheses(*its_world, *likeliest, i), std::sqrt(likeliest->variance[i])};
    before_.push_back(cause.likeliest().members);
    std::vector<Column> others = likeliest->columns;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (likeliest->score - model(*its_world, std::move(others)).score >= kStrong) explanation.push_back(std::move(cause));
  }
  std::ranges::stable_sort(explanation, std::ranges::greater{}, &Cause::size);
  drop_interactions(explanation);
  return explanation;
}

}  // namespace bisectd::strategies::signatures
