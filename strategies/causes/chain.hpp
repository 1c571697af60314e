// A Markov chain over explanations whose stationary distribution is the posterior given the tests (Metropolis,
// Hastings).
#pragma once

#include <vector>

#include "strategies/causes/explanation.hpp"
#include "strategies/causes/draw_cache.hpp"
#include "strategies/causes/tests.hpp"
#include "strategies/random.hpp"

namespace bisectd::strategies::causes {

/// Prior: k causes with P(k) ~ k^-2.5 (of `ordered`, which counts members of the fix instead: CulpritPrior); each has one,
/// two or three members (kLoneCause; of the rest one in five has three); given that, its members have probability
/// proportional to the product of their odds. Only + - * / and sqrt: the same on every machine.
class Chain {
 public:
  Chain(const Tests& tests, std::vector<double> odds);

  Explanation from_prior(Random& random) const;

  /// `moves` proposals: birth and death of a cause, another cause for one, a member more or less in one, another partner in
  /// one.
  void walk(Explanation& state, std::size_t moves, Random& random);

  /// Number of tests that the explanation predicts wrongly.
  std::size_t mismatches(const Explanation& explanation) const;

 private:
  double prior(const Cause& cause) const;
  Cause draw_cause(const TestSet& open, Random& random);
  double density(const Cause& cause, const TestSet& open);
  MemberDraw::Weights conditional() const;
  const MemberDraw& alone(const TestSet& open);
  const MemberDraw& first(const TestSet& open);
  const MemberDraw& partner(const Cause& kept, const TestSet& open);
  TestSet open(const Explanation& state, std::size_t skip) const;
  double likelihood_ratio(const TestSet& wrong, const TestSet& wrong_before) const;

  bool birth(Explanation& next, double& ratio, Random& random);
  bool death(Explanation& next, double& ratio, Random& random);
  bool replace(Explanation& next, double& ratio, Random& random);
  bool resize(Explanation& next, double& ratio, Random& random);
  bool other_partner(Explanation& next, double& ratio, Random& random);

  const Tests& tests_;
  std::vector<double> share_;                                             // odds, summing to 1
  std::array<double, kMostMembers + 1> size_share_{}, proposed_share_{};  // [m]: P(a cause has m members)
  OddsLevels levels_;
  DrawCache alone_, first_, partner_;  // of a lone culprit; of the first member of a larger cause; of a further one
};

}  // namespace bisectd::strategies::causes
