// Which few patterns of activity explain the signatures, and which suspects have such a pattern. Knows numbers and sets
// only: no verdicts, no log.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "strategies/signatures/likelihood.hpp"
#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies::signatures {

/// Members that cause a difference only together, or a lone one.
struct Hypothesis {
  std::vector<SuspectId> members;  ///< ascending
  double weight = 0;               ///< posterior share among the hypotheses for one cause; they sum to 1
};

/// What is believed of one cause: one hypothesis of many is true.
struct Cause {
  std::vector<Hypothesis> hypotheses;  ///< the likeliest first; not empty
  double size = 0;                     ///< root mean square of its steps, in the units of the whitened rows

  const Hypothesis& likeliest() const { return hypotheses.front(); }
};

using Explanation = std::vector<Cause>;  ///< the greatest first

/// Stepwise search from what explained the rows before; remembers what explains them now.
class Explainer {
 public:
  /// `odds`: of each suspect, in any unit.
  explicit Explainer(std::vector<double> odds);

  /// `whole`: the signature that sets the scale (see Rows::whitened): of the run in which nothing is neutralised but what is
  /// settled.
  Explanation explain(const Rows& rows, const std::vector<double>& whole);

  /// What all healthy suspects together change, root mean square of its steps in the units of Cause::size.
  double background() const { return std::sqrt(assumed_.background); }
  /// Whether `whole` is not clearly more than that.
  bool background_may_be_all() const { return whole_squares_ <= kBackgroundStep * assumed_.background; }

 private:
  struct Column {  // a cause, as far as its pattern tells
    Pattern pattern;
    double log_prior = 0;
    std::vector<SuspectId> example;
    bool operator==(const Column& other) const { return pattern == other.pattern; }
  };
  struct Model {
    std::vector<Column> columns;
    std::vector<double> variance;  // of these
    Likelihood likelihood;
    double score = 0;  // log posterior but for a constant
  };
  struct Assumptions {         // of which the likeliest are taken
    double share = 0.001;      // of a difference that changes with what else is active
    double interaction = 0.1;  // variance of what two causes add to their sum, of the smaller one's
    double background = 0;     // variance of all healthy suspects together
  };
  struct World {  // the rows under these
    const Rows& rows;
    Matrix whitened;
    Assumptions assumed;
    double constant = 0;
    Pattern everywhere;  // all rows: what no suspect changes, as the device differs from the reference in it whatever is
                         // neutralised
  };
  struct Class {  // suspects with one pattern
    Column column;
    double odds = 0;
    std::vector<SuspectId> members;
  };

  World world(const Rows& rows, const std::vector<double>& whole, const Assumptions& assumed) const;
  Model model(const World& world, std::vector<Column> columns) const;
  Model pruned(const World& world, Model current) const;
  Model grown(const World& world, Model current) const;
  Model exchanged(const World& world, Model current) const;
  bool add_one(const World& world, Model& current) const;
  std::vector<Column> candidates(const World& world, const Likelihood& likelihood, std::size_t most) const;
  std::vector<Column> pairs(const World& world, const Likelihood& likelihood) const;
  std::vector<Hypothesis> hypotheses(const World& world, const Model& model, std::size_t column) const;
  void sort_into_classes(const Rows& rows);
  Column remembered(const Rows& rows, const std::vector<SuspectId>& members) const;
  double log_prior_of_pair(SuspectId a, SuspectId b) const;

  std::vector<double> share_;  // odds, summing to 1
  std::vector<Class> classes_;
  static constexpr double kBackgroundStep = 10;  // from one background that is tried to the next
  Assumptions assumed_;
  double whole_squares_ = 0;                    // mean square of the whitened steps of `whole`
  std::vector<std::vector<SuspectId>> before_;  // examples of the columns of the best model so far
};

}  // namespace bisectd::strategies::signatures
