// A planted truth: who is guilty, how large each cause is, and what a run shows of it.
#pragma once

#include <cstdint>
#include <vector>

#include "strategies/evidence.hpp"
#include "strategies/random.hpp"
#include "strategies/simulate/plant.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

class PlantedTruth {
 public:
  PlantedTruth(const Problem& problem, const Plant& plant, std::uint64_t seed);

  /// Whether all that the plant asks for is there: there may be too few suspects.
  bool whole() const { return whole_; }

  /// Raises the odds of some suspects, as a hint of the wanted quality does.
  void hint(std::vector<Suspect>& suspects);

  /// One run, with all that the plant says of noise, wrong verdicts and crashes.
  Evidence run(const Neutralised& neutralised);

  bool fails(const Active& active) const;
  bool is_minimal_fix(const std::vector<SuspectId>& culprit_set) const;
  const std::vector<std::vector<SuspectId>>& causes() const { return causes_; }  ///< each ascending, in ascending order

 private:
  using Steps = std::vector<double>;

  void draw_causes();
  void draw_signatures();
  Steps direction(double size);
  double log_uniform(double least, double most);
  Steps signature(const Active& active);
  bool breaks(const Neutralised& neutralised) const;
  double smallest_effect() const;

  Plant plant_;
  Random random_;
  std::uint64_t salt_;  // of the sets that break
  SuspectSet culprits_;
  bool whole_ = true;
  std::vector<std::vector<SuspectId>> causes_;
  std::vector<double> effects_;    // by cause, on the measured difference
  std::vector<Steps> signatures_;  // by cause; empty until the first is wanted
  std::vector<Steps> together_;    // what two causes add to their sum, by the greater number and the smaller
  std::vector<Steps> benign_;      // of each suspect, if it is healthy
  Steps offset_;                   // with everything neutralised
};

}  // namespace bisectd::strategies
