// The posterior over explanations as a cloud of them: each new test reweighs the cloud, which is then resampled and
// moved.
#pragma once

#include <cstdint>
#include <vector>

#include "strategies/causes/chain.hpp"

namespace bisectd::strategies::causes {

class Particles {
 public:
  /// Tests must outlive the cloud; `exact`: outcomes are never wrong.
  Particles(const Tests& tests, std::vector<double> odds, bool exact, std::size_t count, std::uint64_t seed);

  /// Takes in the test just added.
  void absorb(std::size_t moves);

  const std::vector<Explanation>& all() const { return cloud_; }
  /// No particle explains the exact outcomes, though long looked for.
  bool misfit() const { return misfit_; }

  /// Of `among` the tests that a particle predicts wrongly, on average.
  double mean_mismatches(const TestSet& among) const;

  struct Likely {
    Explanation explanation;
    double mass;
  };
  /// The explanations with at least this share of the cloud, the largest first.
  std::vector<Likely> likely(double least) const;

 private:
  void resample();
  bool keep_consistent();

  const Tests& tests_;
  Chain chain_;
  bool exact_, misfit_ = false;
  Random random_;
  std::vector<Explanation> cloud_;
};

}  // namespace bisectd::strategies::causes
