#include "strategies/signatures/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr std::array kShares{0.001, 0.003, 0.01, 0.03};  // of a difference that changes with what else is active
constexpr std::array kInteractions{0.1, 0.01, 0.0};  // variance of what two causes add to their sum, of the smaller one's
constexpr std::array kBackgrounds{0.0, 3.0, 30.0, 300.0, 3000.0};  // variance of all healthy suspects together
constexpr std::array kNoises{1.0, 10.0, 100.0, 1e3, 1e4, 1e5};     // variance of each trial by itself
constexpr std::size_t kMostMoves = 6,
                      kMostCauses = 12;  // and not more than one for two trials: more could explain anything
constexpr std::size_t kTried = 6;        // candidates of which the whole likelihood is computed
constexpr double kStrong = 10;           // log odds from which a cause is more than a chance of the rounding
constexpr double kImproves = 1e-6;
// Assumptions that leave the causes found so far so much behind, in log odds, are left: 0.5 % of those that turned out to be
// the likelier ones (bench_search signatures), and a quarter of the time (bench_search large).
constexpr double kHopeless = 40;

// The number of causes k has a prior that falls with k^-2.5, like that of the engine `causes`.
double log_prior_of_count(std::size_t k) { return k == 0 ? 0 : -2.5 * portable_ln(static_cast<double>(k)); }

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

// Rows in which a cause of this size and pattern is active and no other one of `sizes` is great beside it.
std::size_t rows_apart(const Pattern& pattern, double size, std::span<const Column> columns, std::span<const double> sizes) {
  Pattern rows = pattern;
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t word = 0; kGreat * sizes[i] > size && word < rows.size(); ++word)
      rows[word] &= ~columns[i].pattern[word];
  return count_of(rows);
}

std::vector<Column> all_but(std::size_t one, std::vector<Column> columns) {
  columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(one));
  return columns;
}

}  // namespace

Explainer::World Explainer::world(const Rows& rows, const std::vector<double>& whole, const Assumptions& assumed) const {
  double constant = 0;
  for (double step : whole) constant -= 0.5 * portable_ln(1 + assumed.share * step * assumed.share * step);
  return {rows, assumed, constant * static_cast<double>(rows.size()),
          Likelihood(rows, rows.whitened(whole, assumed.share), assumed.noise, assumed.share, assumed.background)};
}

Explainer::Model Explainer::model(const World& world, std::vector<Column> columns) const {
  double prior = log_prior_of_count(columns.size());
  // All rows first: what no suspect changes, as the device differs from the reference in it whatever is neutralised.
  std::vector<Pattern> patterns{world.rows.everywhere()};
  for (const Column& column : columns) {
    prior += column.log_prior;
    patterns.push_back(column.pattern);
  }
  std::vector<double> variance = world.without_causes.best_variances(patterns);
  Likelihood likelihood = world.without_causes;
  for (std::size_t i = 0; i < patterns.size(); ++i) likelihood.add(patterns[i], variance[i]);
  variance.erase(variance.begin());
  for (std::size_t a = 0; world.assumed.interaction > 0 && a < columns.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      likelihood.add(both(columns[a].pattern, columns[b].pattern),
                     world.assumed.interaction * std::min(variance[a], variance[b]));
  const double score = kTemper * (likelihood.nats() + world.constant) + prior;
  return {std::move(columns), std::move(variance), std::move(likelihood), score};
}

// The candidate that improves the model most; false if none does.
bool Explainer::add_one(const World& world, Model& current, bool only_lone) const {
  if (current.columns.size() >= std::min(kMostCauses, 2 + world.rows.size() / 2)) return false;
  std::optional<Model> better;
  for (const Column& candidate : columns_.candidates(world.rows, current.likelihood, kTried, only_lone)) {
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
    if (Model without = model(world, all_but(i, current.columns)); without.score > current.score)
      current = std::move(without);
  }
  return current;
}

Explainer::Model Explainer::grown(const World& world, Model current, bool only_lone) const {
  while (add_one(world, current, only_lone)) {
  }
  return pruned(world, std::move(current));
}

// One column after the other is taken out, and another one put in its place where that explains more.
Explainer::Model Explainer::exchanged(const World& world, Model current) const {
  for (std::size_t move = 0; move < kMostMoves; ++move) {
    std::optional<Model> better;
    for (std::size_t i = 0; i < current.columns.size(); ++i) {
      Model without = model(world, all_but(i, current.columns));
      add_one(world, without);
      if (without.score > (better ? better->score : current.score) + kImproves) better = std::move(without);
    }
    if (!better) break;
    current = grown(world, pruned(world, std::move(*better)));
  }
  return current;
}

// From nothing; where causes change much the same, a pair comes first then that looks like three causes together, and others
// make up for it. So lone suspects are tried first, too.
Explainer::Model Explainer::begun(const World& world) const {
  const Model nothing = model(world, {});
  Model all = grown(world, nothing), lone_first = grown(world, grown(world, nothing, true));
  return lone_first.score > all.score ? std::move(lone_first) : std::move(all);
}

Explanation Explainer::explain(const Rows& rows, const std::vector<double>& whole) {
  if (rows.size() == 0) return {};
  columns_.sort(rows);
  std::optional<Model> likeliest;
  std::optional<World> its_world;
  Assumptions assumed;
  const auto consider = [&](const Assumptions& these) {
    World here = world(rows, whole, these);
    if (!likeliest) {
      likeliest = begun(here);
    } else {
      Model found = pruned(here, model(here, likeliest->columns));
      if (found.score < likeliest->score - kHopeless) return;
      found = grown(here, std::move(found));
      if (found.score <= likeliest->score) return;
      likeliest = std::move(found);
    }
    its_world.emplace(std::move(here));
    assumed = these;
  };
  const auto climb = [&](double Assumptions::*which, std::span<const double> values) {
    for (double value : values) {
      Assumptions these = assumed;
      these.*which = value;
      if (!likeliest || these.*which != assumed.*which) consider(these);
    }
  };
  // The variances first: where trials vary much by themselves, causes would else be found in it. With them last, three
  // causes beside wrong verdicts and a rounding of 5e-4 took 56 trials instead of 48 (20 games of bench_search
  // wrong-verdicts).
  climb(&Assumptions::background, kBackgrounds);
  climb(&Assumptions::noise, kNoises);
  climb(&Assumptions::share, kShares);
  climb(&Assumptions::interaction, kInteractions);
  assumed_ = assumed;
  whole_squares_ = 0;
  for (const double step : whole)
    whole_squares_ += step * step / (1 + assumed.share * step * assumed.share * step) / static_cast<double>(whole.size());
  likeliest = exchanged(*its_world, std::move(*likeliest));

  Explanation explanation;
  const Model& best = *likeliest;
  std::vector<double> sizes;
  for (double variance : best.variance) sizes.push_back(std::sqrt(variance));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Model without = model(*its_world, all_but(i, best.columns));
    Cause cause{columns_.hypotheses(rows, without.likelihood, without.columns, best.columns[i]), sizes[i],
                rows_apart(best.columns[i].pattern, sizes[i], best.columns, sizes)};
    if (best.score - without.score >= kStrong) explanation.push_back(std::move(cause));
  }
  std::ranges::stable_sort(explanation, std::ranges::greater{}, &Cause::size);
  drop_interactions(explanation);
  return explanation;
}

}  // namespace bisectd::strategies::signatures
