// Which few causes explain the signatures: the likeliest set of columns (columns.hpp), and who may be in each. Knows numbers
// and sets only: no verdicts, no log.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "strategies/signatures/columns.hpp"

namespace bisectd::strategies::signatures {

inline constexpr double kCertain = 0.95;  // weight of a hypothesis for which no further split is needed
inline constexpr double kGreat = 0.1;     // a cause is great beside another one that is smaller than this part of it

/// What is believed of one cause: one hypothesis of many is true.
struct Cause {
  std::vector<Hypothesis> hypotheses;  ///< the likeliest first; not empty
  double size = 0;                     ///< root mean square of its steps, in the units of the whitened rows
  std::size_t apart = 0;               ///< trials in which it is active and no great cause beside it

  const Hypothesis& likeliest() const { return hypotheses.front(); }
  /// Whether it is no trick of a great cause, whose rounding may look like it: it was seen without one.
  bool credible() const { return apart >= 1; }
  bool certain() const { return credible() && likeliest().weight >= kCertain; }
};

using Explanation = std::vector<Cause>;  ///< the greatest first

/// Stepwise search; what it finds follows from the rows alone, whatever was explained before.
class Explainer {
 public:
  /// `odds`: of each suspect, in any unit.
  explicit Explainer(std::vector<double> odds) : columns_(std::move(odds)) {}

  /// `whole`: the signature that sets the scale (see Rows::whitened): of the run in which nothing is neutralised but what is
  /// settled.
  Explanation explain(const Rows& rows, const std::vector<double>& whole);

  /// Whether `whole` is not clearly more than what all healthy suspects together change, and the noise of one trial.
  bool rest_may_be_healthy() const { return whole_squares_ <= kStep * (assumed_.background + assumed_.noise); }

 private:
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
    double noise = 1;          // variance of each trial by itself: neutralising anything changes how all is rounded
  };
  struct World {  // the rows under these
    const Rows& rows;
    Assumptions assumed;
    double constant = 0;
    Likelihood without_causes;
  };

  World world(const Rows& rows, const std::vector<double>& whole, const Assumptions& assumed) const;
  Model model(const World& world, std::vector<Column> columns) const;
  Model begun(const World& world) const;
  Model pruned(const World& world, Model current) const;
  Model grown(const World& world, Model current, bool only_lone = false) const;
  Model exchanged(const World& world, Model current) const;
  bool add_one(const World& world, Model& current, bool only_lone = false) const;

  Columns columns_;
  static constexpr double kStep = 10;  // from one background or noise that is tried to the next
  Assumptions assumed_;
  double whole_squares_ = 0;  // mean square of the whitened steps of `whole`
};

}  // namespace bisectd::strategies::signatures
