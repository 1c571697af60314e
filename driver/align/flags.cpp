#include "driver/align/flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace bisectd::driver::align {
namespace {

/// Rounding turns few elements into zeros; underflow of float16 takes them by the hundredth.
constexpr double kMoreZeros = 0.01;

std::string shape_text(const Described& tensor) {
  return tensor.shape.empty() ? "[] (0-D)" : fmt::format("[{}]", fmt::join(tensor.shape, ","));
}

void add_differences(std::vector<std::string>& flags, const std::string& what, const Described& reference,
                     const Described& subject) {
  if (reference.shape != subject.shape)
    flags.push_back(
        fmt::format("{}: shape {} on the reference, {} on the subject", what, shape_text(reference), shape_text(subject)));
  if (reference.dtype != subject.dtype)
    flags.push_back(fmt::format("{}: {} on the reference, {} on the subject", what, reference.dtype, subject.dtype));
  if (subject.zeros > reference.zeros + kMoreZeros)
    flags.push_back(fmt::format("{}: {:.3g} % zeros on the reference, {:.3g} % on the subject: underflow?", what,
                                100 * reference.zeros, 100 * subject.zeros));
  if (subject.nonfinite != reference.nonfinite)
    flags.push_back(fmt::format("{}: {} elements not finite on the reference, {} on the subject", what, reference.nonfinite,
                                subject.nonfinite));
}

void compare_values(std::vector<std::string>& flags, const std::string& what, const Value& reference, const Value& subject) {
  add_differences(flags, what, reference.value, subject.value);
  if (reference.gradient && subject.gradient)
    add_differences(flags, "gradient of the " + what, *reference.gradient, *subject.gradient);
  else if (reference.gradient || subject.gradient)
    flags.push_back(fmt::format("gradient of the {}: none on the {}", what, subject.gradient ? "reference" : "subject"));
}

}  // namespace

std::vector<std::string> flags_of(const Recording& reference, const Call& call, const Recording& subject,
                                  const Call& other) {
  std::vector<std::string> flags;
  if (call.out.size() != other.out.size())
    flags.push_back(fmt::format("{} outputs on the reference, {} on the subject", call.out.size(), other.out.size()));
  for (std::size_t i = 0; i < std::min(call.out.size(), other.out.size()); ++i)
    compare_values(flags, call.out.size() == 1 ? "output" : fmt::format("output {}", i + 1),
                   reference.values.at(call.out[i]), subject.values.at(other.out[i]));
  if (call.number != 1) return flags;
  for (const Parameter& parameter : reference.parameters) {
    if (parameter.module != call.module) continue;
    const auto same = std::ranges::find(subject.parameters, parameter.name, &Parameter::name);
    if (same == subject.parameters.end()) continue;
    if (parameter.value.dtype != same->value.dtype)
      flags.push_back(fmt::format("{}: {} on the reference, {} on the subject", parameter.name, parameter.value.dtype,
                                  same->value.dtype));
    if (parameter.gradient && same->gradient)
      add_differences(flags, "gradient of " + parameter.name, *parameter.gradient, *same->gradient);
    else if (parameter.gradient || same->gradient)
      flags.push_back(
          fmt::format("gradient of {}: none on the {}", parameter.name, same->gradient ? "reference" : "subject"));
  }
  return flags;
}

}  // namespace bisectd::driver::align
