// A fault: how one operator goes wrong, and when.  Pure arithmetic on float arrays; knows neither files nor tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rounding.hpp"

namespace standin {

struct FlagIs {
  std::string name;        // an environment variable
  std::string value;       // compared as text, or as a switch when as_switch is set
  bool as_switch = false;  // on: the first letter is one of tTyY1, the way the Ascend plug-in reads its flags
};

struct Fault {
  double relative = 0;         // x * (1 + relative)
  double additive = 0;         // x + additive
  bool round_to_half = false;  // through float16 and back
  double flush_below = 0;      // |x| below this becomes 0
  double fraction = 1;         // share of the calls that go wrong, chosen by the seed of the file
  long nan_from_call = 0;      // calls count from 1; 0 is never
  long crash_at_call = 0;
  long hang_at_call = 0;
  long overflow_at_call = 0;  // of check_finite_and_unscale: it reports an overflow, and the loss scale skips the step

  std::optional<FlagIs> when_flag;
  std::optional<std::string> when_on_device, when_on_cpu;  // fluid name of the other operator
};

struct Noise {
  double relative = 0;           // x * (1 + relative * u), u uniform in [-1, 1], drawn anew for every number
  std::vector<std::string> ops;  // fluid names
};

enum class AtExit { nothing, hang, crash };

struct Plan {              // what the fault file says beside the faults of the operators
  std::uint64_t seed = 1;  // of `fraction` and of the rounding
  Rounding rounding;
  Noise noise;
  bool own_masks = false;  // dropout draws other masks than the CPU, others in every make
  AtExit at_exit = AtExit::nothing;
};

Plan& plan();

bool holds(const Fault& fault);

// Whether the call with this number (from 1) of this operator is one that goes wrong.
bool strikes(const Fault& fault, const std::string& op, long call);

// Both spoil x in place.  before: what each number was before an updating operator changed it; the error is then of the
// change and not of the value.  Null for all other operators.
void spoil(const Fault& fault, long call, float* x, const float* before, std::size_t count);
void add_noise(const Noise& noise, float* x, const float* before, std::size_t count);

// Ends or stops the process if the fault says so for this call.
void interrupt(const Fault& fault, const std::string& op, long call);

// The planted end of a process that has used the device: after everything else, so that the whole curve has been printed.
void arm_exit();

}  // namespace standin
