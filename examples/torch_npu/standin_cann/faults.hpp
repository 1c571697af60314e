// The fault file: what this device computes wrongly, and how coarsely it rounds. Knows no tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rounding.hpp"

namespace standin_cann {

struct Fault {
  std::string op;          // aclnnThresholdBackward
  double relative = 0;     // x * (1 + relative)
  double additive = 0;     // x + additive
  double fraction = 1;     // share of the calls that go wrong, chosen by the seed
  long nan_from_call = 0;  // calls count from 1, by operator and process; 0 is never
  long crash_at_call = 0;
  std::optional<std::string> flag, is;  // only where this variable of the environment is set so
};

struct Plan {
  std::vector<Fault> faults;
  standin::Rounding rounding;
  int hf32_bits_lost = 12;
  std::uint64_t seed = 1;
};

// Ends the process with status 2 if the file is wrong. No file: a device without faults.
Plan read_plan(const char* file, const std::vector<std::string>& operators);

// Where an operator changed what it was given (`before`), what is wrong is the change.
void spoil(const Fault& fault, std::uint64_t seed, long call, float* x, const float* before, std::size_t count);

void interrupt(const Fault& fault, long call);

}  // namespace standin_cann
