#include "faults.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "paddle/phi/backends/custom/custom_device_op_list.h"
#include "hash.hpp"
#include "paddle/phi/common/float16.h"

namespace standin {
namespace {

std::uint64_t process_seed() {
  if (const char* text = std::getenv("STANDIN_NPU_SEED")) return std::strtoull(text, nullptr, 10);
  return (static_cast<std::uint64_t>(std::random_device{}()) << 32) | std::random_device{}();
}

void at_exit() {
  if (plan().at_exit == AtExit::crash) std::abort();
  while (true) ::pause();
}

}  // namespace

Plan& plan() {
  static Plan plan;
  return plan;
}

bool holds(const Fault& fault) {
  if (fault.when_flag) {
    const char* text = std::getenv(fault.when_flag->name.c_str());
    const std::string value = text ? text : "";
    if (fault.when_flag->as_switch) {
      const bool on = !value.empty() && std::strchr("tTyY1", value[0]);
      if (on != (fault.when_flag->value == "true")) return false;
    } else if (value != fault.when_flag->value) {
      return false;
    }
  }
  // Paddle's own answer, so that a name the black list does not understand counts as little here as it does there.
  using phi::backends::custom_device::is_in_custom_black_list;
  return !(fault.when_on_device && is_in_custom_black_list(*fault.when_on_device)) &&
         !(fault.when_on_cpu && !is_in_custom_black_list(*fault.when_on_cpu));
}

bool strikes(const Fault& fault, const std::string& op, long call) {
  if (fault.fraction >= 1) return true;
  const std::uint64_t bits = mix(plan().seed ^ std::hash<std::string>{}(op) ^ mix(static_cast<std::uint64_t>(call)));
  return unit(bits) < fault.fraction;
}

void spoil(const Fault& fault, long call, float* x, const float* before, std::size_t count) {
  const bool not_a_number = fault.nan_from_call > 0 && call >= fault.nan_from_call;
  for (std::size_t i = 0; i < count; ++i) {
    const double base = before ? before[i] : 0;
    double error_of = x[i] - base;
    if (fault.round_to_half) error_of = static_cast<float>(phi::dtype::float16(static_cast<float>(error_of)));
    if (std::abs(error_of) < fault.flush_below) error_of = 0;
    error_of = error_of * (1 + fault.relative) + fault.additive;
    x[i] = not_a_number ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(base + error_of);
  }
}

void add_noise(const Noise& noise, float* x, const float* before, std::size_t count) {
  static std::uint64_t state = process_seed();
  for (std::size_t i = 0; i < count; ++i) {
    const double base = before ? before[i] : 0;
    x[i] = static_cast<float>(base + (x[i] - base) * (1 + noise.relative * (2 * unit(mix(++state)) - 1)));
  }
}

void interrupt(const Fault& fault, const std::string& op, long call) {
  if (fault.crash_at_call == call) {
    std::fprintf(stderr, "standin-npu: %s crashes at call %ld, as planted\n", op.c_str(), call);
    std::abort();
  }
  if (fault.hang_at_call == call) {
    std::fprintf(stderr, "standin-npu: %s hangs at call %ld, as planted\n", op.c_str(), call);
    while (true) ::pause();
  }
}

void arm_exit() {
  if (plan().at_exit != AtExit::nothing) std::atexit(at_exit);
}

}  // namespace standin
