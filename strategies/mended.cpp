#include "strategies/mended.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies {
namespace {

// Of what the subject as it is is off by. Passing trials of the quickstart are off by 0.0003 of it; where the replacement of
// an innocent suspect was 2 % too low and the fault 2 % too high, those that passed were off by 0.32 and more.
constexpr double kMended = 0.1;

double largest(const std::vector<double>& signature) {
  double most = 0;
  for (double difference : signature) most = std::max(most, std::abs(difference));
  return most;
}

}  // namespace

bool is_as_far_off(const std::vector<double>& as_is, const std::vector<double>& run) {
  return signatures::differs_clearly(as_is) && signatures::differs_clearly(run) && largest(run) >= kMended * largest(as_is);
}

}  // namespace bisectd::strategies
