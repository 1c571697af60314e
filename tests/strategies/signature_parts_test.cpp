// What a search by first steps is made of, each against the formula written down naively: rows, their likelihood, who may
// stand behind a column, sets that halve a belief, and what verdicts settle.
#include <cmath>
#include <map>

#include "strategies/signatures/engine.hpp"
#include "strategies/signatures/explanation.hpp"
#include "strategies/signatures/halving.hpp"
#include "strategies/signatures/likelihood.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {
namespace {

using signatures::Cause;
using signatures::Hypothesis;
using signatures::Rows;
using Members = std::vector<SuspectId>;
using Dense = std::vector<std::vector<double>>;

/// Rows in which each suspect is active half of the time, with signatures of noise.
Rows random_rows(std::size_t suspects, std::size_t count, std::size_t steps, Random& random) {
  Rows rows(suspects);
  for (std::size_t row = 0; row < count; ++row) {
    SuspectSet set(suspects);
    for (SuspectId suspect = 0; suspect < suspects; ++suspect) set.set(suspect, random.below(2) == 0);
    std::vector<double> signature;
    for (std::size_t step = 0; step < steps; ++step) signature.push_back(20 * random.unit() - 10);
    rows.add(set, signature);
  }
  return rows;
}

/// Inverse and log determinant by elimination with pivots.
std::pair<Dense, double> inverted(Dense a) {
  const std::size_t n = a.size();
  Dense inverse(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  double log_determinant = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]);
    std::swap(inverse[i], inverse[pivot]);
    log_determinant += std::log(std::abs(a[i][i]));
    const double unit = a[i][i];
    for (std::size_t c = 0; c < n; ++c) a[i][c] /= unit, inverse[i][c] /= unit;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == i ? 0 : a[r][i];
      for (std::size_t c = 0; c < n; ++c) a[r][c] -= factor * a[i][c], inverse[r][c] -= factor * inverse[i][c];
    }
  }
  return {inverse, log_determinant};
}

/// A model of the rows as one dense covariance.
struct DenseModel {
  const Rows& rows;
  double noise, share, background;
  std::vector<std::pair<Pattern, double>> components = {};

  Dense covariance() const {
    Dense c(rows.size(), std::vector<double>(rows.size(), 0.0));
    for (std::size_t a = 0; a < rows.size(); ++a) {
      double squares = 0;
      for (double step : rows.signature(a)) squares += step * step;
      c[a][a] = noise + share * share * squares / static_cast<double>(rows.steps());
      for (std::size_t b = 0; b < rows.size(); ++b) {
        const auto common = static_cast<double>((rows.active(a) & rows.active(b)).count());
        c[a][b] += background * common / static_cast<double>(rows.suspects());
        for (const auto& [pattern, variance] : components)
          if (holds(pattern, a) && strategies::holds(pattern, b)) c[a][b] += variance;
      }
    }
    return c;
  }
  double nats() const {
    const auto [inverse, log_determinant] = inverted(covariance());
    double squares = 0;
    for (std::size_t step = 0; step < rows.steps(); ++step)
      for (std::size_t a = 0; a < rows.size(); ++a)
        for (std::size_t b = 0; b < rows.size(); ++b)
          squares += rows.signature(a)[step] * inverse[a][b] * rows.signature(b)[step];
    return -0.5 * (static_cast<double>(rows.steps()) * log_determinant + squares);
  }
  signatures::Likelihood likelihood() const {
    signatures::Likelihood made(rows, rows.whitened(std::vector<double>(rows.steps(), 0.0), 0), noise, share, background);
    for (const auto& [pattern, variance] : components) made.add(pattern, variance);
    return made;
  }
};

/// Sets that split these, beside those that run anyway.
std::vector<SuspectSet> splits_of(const std::vector<Cause>& causes, std::size_t suspects, std::size_t count,
                                  std::vector<SuspectSet> batch = {}, const Members& quiet = {}) {
  const std::vector<SuspectSet> known{SuspectSet(suspects)};
  Random random(5);
  signatures::split(causes, set_of(suspects, quiet), count, known, batch, random);
  return batch;
}

Cause cause_of(const std::vector<Members>& hypotheses) {
  Cause cause;
  for (const Members& members : hypotheses)
    cause.hypotheses.push_back({members, 1.0 / static_cast<double>(hypotheses.size())});
  return cause;
}

}  // namespace

TEST_CASE("rows: who was active where, as patterns of 64 rows a word") {
  Random random(4);
  const Rows rows = random_rows(20, 130, 3, random);
  CHECK(rows.size() == 130);
  CHECK(count_of(rows.everywhere()) == 130);
  for (SuspectId a = 0; a < 20; ++a)
    for (SuspectId b = 0; b < a; ++b) {
      const Pattern pair = rows.pattern(Members{b, a});
      CHECK(pair == both(rows.pattern(a), rows.pattern(b)));
      std::vector<std::size_t> where;
      for (std::size_t row = 0; row < 130; ++row)
        if (rows.active(row).test(a) && rows.active(row).test(b)) where.push_back(row);
      CHECK(rows_of(pair) == where);
      CHECK(count_of(pair) == where.size());
    }
}

TEST_CASE("rows: those without first steps, or with others than the first one, are left out") {
  Rows rows(2);
  rows.add(set_of(2, {0}), {});
  CHECK(rows.size() == 0);
  rows.add(set_of(2, {0}), {1, 2, 3});
  rows.add(set_of(2, {1}), {1, 2});
  CHECK(rows.size() == 1);
  CHECK(rows.steps() == 3);
}

TEST_CASE("rows: whitened steps count by what they exceed a share of the whole difference") {
  Rows rows(1);
  rows.add(set_of(1, {0}), {4, 1000, 0});
  const signatures::Matrix white = rows.whitened({4, 1000, 0}, 0.003);
  CHECK(white(0, 0) == Approx(4).epsilon(1e-3));  // quiet steps stay what they are
  CHECK(white(0, 1) == Approx(1000 / std::sqrt(1 + 9.0)));
  CHECK(white(0, 2) == 0);
}

TEST_CASE("first steps tell something where three of them are ten healthy spreads off") {
  CHECK(signatures::differs_clearly({10, -10, 0, 10}));
  CHECK_FALSE(signatures::differs_clearly({1000, -1000, 9.9}));
  CHECK_FALSE(signatures::differs_clearly({}));
}

TEST_CASE("likelihood: the density of a Gaussian, however its components are added") {
  Random random(8);
  for (int game = 0; game < 40; ++game) {
    const Rows rows = random_rows(12, 2 + random.below(40), 5, random);
    const double background = game % 2 == 0 ? 0 : 2 * random.unit();  // without one, rows are independent
    DenseModel model{rows, 1 + random.unit(), 0.01 * random.unit(), background};
    for (SuspectId suspect = 0; suspect < random.below(12); ++suspect)
      model.components.emplace_back(rows.pattern(suspect), 30 * random.unit());
    CHECK(model.likelihood().nats() == Approx(model.nats()));
  }
}

TEST_CASE("likelihood: a component gains what its best variance adds, and no other variance adds more") {
  Random random(13);
  std::size_t gained = 0;
  for (int game = 0; game < 40; ++game) {
    const Rows rows = random_rows(5, 6, 3, random);
    DenseModel model{rows, 1, 0, game % 2 == 0 ? 0.0 : 1.0};
    if (game % 4 >= 2) model.components = {{rows.everywhere(), 3}, {rows.pattern(random.below(5)), 5}};
    const Pattern pattern = rows.pattern(random.below(5));
    const auto gain = model.likelihood().gain(pattern);
    const double before = model.nats();
    const auto with = [&](double variance) {
      DenseModel more = model;
      more.components.emplace_back(pattern, variance);
      return more.nats() - before;
    };
    CHECK(with(gain.variance) == Approx(gain.nats).margin(1e-9));
    for (double variance : {0.01, 0.1, 1.0, 10.0, 100.0, 0.9 * gain.variance, 1.1 * gain.variance})
      CHECK(with(variance) <= gain.nats + 1e-9);
    gained += gain.nats > 0;
  }
  CHECK(gained > 10);
}

TEST_CASE("likelihood: three times each component in turn gets the variance that is best beside the others") {
  Random random(34);
  for (int game = 0; game < 20; ++game) {
    const Rows rows = random_rows(5, 4 + random.below(30), 3, random);
    DenseModel model{rows, 1, 0, game % 2 == 0 ? 0.0 : 1.0, {{rows.everywhere(), 0}}};
    for (SuspectId suspect = 0; suspect < 4; ++suspect) model.components.emplace_back(rows.pattern(suspect), 0);
    std::vector<Pattern> patterns;
    for (const auto& component : model.components) patterns.push_back(component.first);
    const std::vector<double> variances = model.likelihood().best_variances(patterns);
    for (int sweep = 0; sweep < 3; ++sweep)
      for (auto& [pattern, variance] : model.components) {
        variance = 0;
        variance = model.likelihood().gain(pattern).variance;
      }
    for (std::size_t i = 0; i < patterns.size(); ++i)
      CHECK(variances[i] == Approx(model.components[i].second).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("likelihood: what is unexplained of a row is how far it is off what the others predict of it") {
  Random random(21);
  const double background = GENERATE(0.0, 2.0);
  const Rows rows = random_rows(5, 7, 4, random);
  const DenseModel model{rows, 1, 0, background, {{rows.pattern(SuspectId{1}), 20}}};
  const std::vector<double> unexplained = model.likelihood().unexplained();
  const Dense c = model.covariance();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < rows.size(); ++other)
      if (other != row) others.push_back(other);
    Dense among(others.size(), std::vector<double>(others.size()));
    for (std::size_t a = 0; a < others.size(); ++a)
      for (std::size_t b = 0; b < others.size(); ++b) among[a][b] = c[others[a]][others[b]];
    const Dense inverse = inverted(among).first;
    double variance = c[row][row], squares = 0;
    std::vector<double> weight(others.size(), 0.0);
    for (std::size_t a = 0; a < others.size(); ++a)
      for (std::size_t b = 0; b < others.size(); ++b) weight[a] += inverse[a][b] * c[row][others[b]];
    for (std::size_t a = 0; a < others.size(); ++a) variance -= weight[a] * c[row][others[a]];
    for (std::size_t step = 0; step < rows.steps(); ++step) {
      double off = rows.signature(row)[step];
      for (std::size_t a = 0; a < others.size(); ++a) off -= weight[a] * rows.signature(others[a])[step];
      squares += off * off;
    }
    CHECK(unexplained[row] == Approx(squares / variance / static_cast<double>(rows.steps())));
  }
}

TEST_CASE("columns: who was active in the same trials is one class, and the likelier of it the likelier cause") {
  Rows rows(4);
  rows.add(set_of(4, {0, 1, 2, 3}), {500, 300, 200});
  rows.add(set_of(4, {0, 1}), {500, 300, 200});
  rows.add(set_of(4, {3}), {0, 0, 0});
  signatures::Columns columns({1, 3, 1, 1});
  columns.sort(rows);
  const DenseModel nothing{rows, 1, 0, 0};
  const std::vector<signatures::Column> likeliest = columns.candidates(rows, nothing.likelihood(), 1, true);
  REQUIRE(likeliest.size() == 1);
  const signatures::Column& column = likeliest.front();
  CHECK(column.pattern == rows.pattern(SuspectId{1}));
  CHECK(column.pattern != rows.pattern(SuspectId{2}));
  const std::vector<Hypothesis> cause = columns.hypotheses(rows, nothing.likelihood(), {}, column);
  REQUIRE(cause.size() >= 2);
  CHECK(cause[0].members == Members{1});
  CHECK(cause[1].members == Members{0});
  CHECK(cause[0].weight == Approx(3 * cause[1].weight));
  double sum = 0;
  for (const Hypothesis& each : cause) {
    sum += each.weight;
    if (each.members.size() == 2) CHECK(rows.pattern(each.members) == column.pattern);  // a pair explains the same rows
  }
  CHECK(sum == Approx(1).epsilon(1e-3));
}

TEST_CASE("halving: a set holds half of the hypotheses for every cause, two sets tell them in quarters") {
  std::vector<Members> eight, other;
  for (SuspectId suspect = 0; suspect < 8; ++suspect) eight.push_back({suspect}), other.push_back({8 + suspect});
  const std::vector<Cause> causes{cause_of(eight), cause_of(other)};
  const std::vector<SuspectSet> two = splits_of(causes, 20, 2);
  REQUIRE(two.size() == 2);
  for (SuspectId from : {0UL, 8UL}) {
    std::map<std::pair<bool, bool>, int> quarters;
    for (SuspectId suspect = from; suspect < from + 8; ++suspect) ++quarters[{two[0].test(suspect), two[1].test(suspect)}];
    CHECK(quarters.size() == 4);
    for (const auto& [where, count] : quarters) CHECK(count == 2);
  }
  // Beside a set that runs anyway the next one splits its halves.
  CHECK(splits_of(causes, 20, 2, {two[0]})[0] == two[0]);
}

TEST_CASE("halving: what is to be quiet is active in no set, and the others are split as they were") {
  std::vector<Members> eight;
  for (SuspectId suspect = 0; suspect < 8; ++suspect) eight.push_back({suspect});
  for (const SuspectSet& set : splits_of({cause_of({{9}}), cause_of(eight)}, 10, 3, {}, {9})) {
    CHECK_FALSE(set.test(9));
    CHECK((set & set_of(10, {0, 1, 2, 3, 4, 5, 6, 7})).count() == 4);
  }
}

TEST_CASE("halving: a pair is inside where both are, so that more than half of all are active") {
  std::vector<Members> pairs;
  for (SuspectId a = 0; a < 8; ++a)
    for (SuspectId b = 0; b < a; ++b) pairs.push_back({b, a});
  const SuspectSet set = splits_of({cause_of(pairs)}, 8, 1).front();
  std::size_t inside = 0;
  for (const Members& pair : pairs) inside += set.test(pair[0]) && set.test(pair[1]);
  CHECK((inside >= 10 && inside <= 15));  // of 28: six of eight suspects make 15, five make 10
}

TEST_CASE("halving: where nothing is left to tell, or all is known, no set is made up") {
  CHECK(splits_of({cause_of({{0}})}, 1, 1).size() <= 1);
  const std::vector<SuspectSet> all = splits_of({cause_of({{0}, {1}})}, 2, 9);
  std::vector<SuspectSet> distinct = all;
  std::ranges::sort(distinct);
  CHECK(std::ranges::adjacent_find(distinct) == distinct.end());
  CHECK(std::ranges::count(all, SuspectSet(2)) == 0);  // known
}

TEST_CASE("settled: nobody is accused of what is harmless, was set aside, or is left active by a fix that passed") {
  const signatures::Settled settled{.harmless = {{0}}, .only_beside_others = {{3, 4}}, .fix = {1, 4}};
  for (const Members& cause : {Members{0}, {3, 4}, {2}}) CHECK(settled.clears(cause));
  for (const Members& cause : {Members{1}, {2, 4}}) CHECK_FALSE(settled.clears(cause));
  CHECK_FALSE(signatures::Settled{}.clears({2}));  // none passed
}

}  // namespace bisectd::strategies::testing
