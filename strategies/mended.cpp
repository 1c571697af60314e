#include "strategies/mended.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies {
namespace {

// Of what the subject as it is is off by. Passing trials of the quickstart are off by 0.0003 of it; those that passed since
// a replacement was as wrong as a fault of 2 to 5 %, the other way, by 0.09 and more (changing_worlds.py
// makes_up_for_one_of_two).
constexpr double kMended = 0.03;

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
