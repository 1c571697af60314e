#include "strategies/mended.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies {
namespace {

// Of what the subject as it is is off by. Passing trials of the quickstart are off by 0.0003 of it. Of those that passed
// since a replacement was as wrong as a fault, the other way, the least was 0.088 (one game, two faults of 3 %, one of them
// made up for); beside a single fault of 2 % it was 0.32. Between the two it is a choice.
constexpr double kMended = 0.03;
// What neutralising the innocent changes in a failure that it does not mend is rounding, which stays within a few standard
// errors. A fifth of the failure is a choice: what is wrongly held for another failure costs trials, the reverse an answer.
constexpr double kOtherwise = 0.2, kApart = 3;
constexpr double kClearly = 10;  // standard errors, as for a step of a signature (signatures::differs_clearly)

double largest(const std::vector<double>& signature) {
  double most = 0;
  for (double difference : signature) most = std::max(most, std::abs(difference));
  return most;
}

bool differs_clearly(const Measured& run) {
  return run.difference && run.standard_error && std::abs(*run.difference) > kClearly * *run.standard_error;
}

}  // namespace

bool is_still_off(const Measured& as_is, const Measured& run) {
  if (!as_is.signature.empty() && !run.signature.empty())
    return signatures::differs_clearly(as_is.signature) && signatures::differs_clearly(run.signature) &&
           largest(run.signature) >= kMended * largest(as_is.signature);
  return as_is.difference && differs_clearly(run) && std::abs(*run.difference) >= kMended * std::abs(*as_is.difference);
}

bool is_off_otherwise(const Measured& as_is, const Measured& run) {
  if (!as_is.difference || !run.difference) return false;
  const double apart = std::abs(*as_is.difference - *run.difference);
  const double error = std::max(as_is.standard_error.value_or(0), run.standard_error.value_or(0));
  return apart > kOtherwise * std::max(std::abs(*as_is.difference), std::abs(*run.difference)) && apart > kApart * error;
}

}  // namespace bisectd::strategies
