#include "driver/align/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/align/first_deviation.hpp"
#include "driver/align/recording.hpp"

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

/// Shapes, dtypes, shares of zeros, elements that are not finite, gradients that are missing; "reference, subject" in words.
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

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostNamed = 5;  ///< parameters whose start differs

/// The gradient of a bias before a normalisation, or of the keys of an attention, is zero but for rounding, and differs
/// between healthy devices by more than itself. Perturbed runs show that; without any, gradients below this share of the
/// largest one of the call count relative to that share. In bfloat16 such a remnant is 0.4 % of it and less.
constexpr double kShareOfRemnants = 0.01;

double share_of(double difference, double size) { return difference == 0 ? 0 : size > 0 ? difference / size : kInfinite; }

/// Means cancel: after a normalisation, or of gradients, they are rounding and nothing else. So what they differ by counts
/// relative to the size of an element, which it cannot exceed unless elements differ by as much.
double mean_error(const Described& reference, const Described& other, double rms) {
  return rms > 0 ? std::abs(reference.mean - other.mean) / rms : 0;  // of zeros the norm says all
}

double root_of_count(const Described& tensor) {
  double count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<double>(size);
  return std::sqrt(std::max(count, 1.0));
}

using Key = std::pair<std::string, int>;

/// A run's calls and parameters by their names.
class Index {
 public:
  explicit Index(const Recording& run) : run_(run) {
    for (const Call& call : run.calls) calls_.emplace(Key{call.module, call.number}, &call);
    for (const Parameter& parameter : run.parameters) parameters_.emplace(parameter.name, &parameter);
  }
  const Call* call(const Call& same) const {
    const auto found = calls_.find({same.module, same.number});
    return found == calls_.end() ? nullptr : found->second;
  }
  const Parameter* parameter(const std::string& name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : found->second;
  }
  const Recording& run() const { return run_; }

 private:
  const Recording& run_;
  std::map<Key, const Call*> calls_;
  std::map<std::string, const Parameter*> parameters_;
};

/// A dump that holds no figure of it, or a tensor of no elements.
bool says_nothing(const Described& tensor) {
  return tensor.sample.empty() && tensor.norm == 0 && tensor.mean == 0 && tensor.nonfinite == 0;
}

/// Tensors that are on both sides.
using Pairs = std::vector<std::pair<const Described*, const Described*>>;

template <class Read>
Pairs pairs(const Index& a, const std::vector<std::size_t>& of_a, const Index& b, const std::vector<std::size_t>& of_b,
            Read read) {
  Pairs both;
  for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
    const Described *left = read(a.run().values.at(of_a[i])), *right = read(b.run().values.at(of_b[i]));
    if (left && right && !says_nothing(*left) && !says_nothing(*right)) both.emplace_back(left, right);
  }
  return both;
}

/// Nothing where there is nothing on either. `remnants`: share of the largest norm below which a tensor's own is none.
std::optional<double> worst(const Pairs& both, double remnants = 0) {
  double largest = 0;
  for (const auto& [left, right] : both) largest = std::max(largest, left->norm);
  std::optional<double> most;
  for (const auto& [left, right] : both)
    most = std::max(most.value_or(0), relative_error(*left, *right, remnants * largest));
  return most;
}

const Described* forward_of(const Value& value) { return &value.value; }
const Described* gradient_of(const Value& value) { return value.gradient ? &*value.gradient : nullptr; }

Pairs parameter_gradients(const Index& a, const Index& b, const std::string& module) {
  Pairs both;
  for (const Parameter& parameter : a.run().parameters) {
    const Parameter* other = parameter.module == module && parameter.gradient ? b.parameter(parameter.name) : nullptr;
    if (other && other->gradient && !says_nothing(*parameter.gradient) && !says_nothing(*other->gradient))
      both.emplace_back(&*parameter.gradient, &*other->gradient);
  }
  return both;
}

constexpr std::array kErrors{&Row::input, &Row::output, &Row::gradient, &Row::input_gradient, &Row::parameter_gradient};
using Measured = std::array<std::optional<double>, kErrors.size()>;

Measured measured(const Index& plain, const Call& call, const Index& other, double remnants) {
  const Call* same = other.call(call);
  if (!same) return {};
  return {worst(pairs(plain, call.in, other, same->in, forward_of)),
          worst(pairs(plain, call.out, other, same->out, forward_of)),
          worst(pairs(plain, call.out, other, same->out, gradient_of), remnants),
          worst(pairs(plain, call.in, other, same->in, gradient_of), remnants),
          call.number == 1 ? worst(parameter_gradients(plain, other, call.module), remnants) : std::nullopt};
}

Row row_of(const Index& plain, const Call& call, std::span<const Index> perturbed, const Index& subject, double bound) {
  Row row{.module = call.module,
          .class_name = call.class_name,
          .inside = call.inside,
          .number = call.number,
          .function = call.function,
          .draws = call.draws || subject.call(call)->draws};
  const double remnants = perturbed.empty() ? kShareOfRemnants : 0;
  const Measured own = measured(plain, call, subject, remnants);
  std::vector<Measured> healthy;
  for (const Index& run : perturbed) healthy.push_back(measured(plain, call, run, remnants));
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    Error& error = row.*kErrors[i];
    error.known = own[i].has_value();
    error.error = own[i].value_or(0);
    for (const Measured& run : healthy) error.healthy = std::max(error.healthy, run[i].value_or(0));
    error.off = error.error > std::max(bound, kBeyondHealthy * error.healthy);
  }
  row.flags = flags_of(plain.run(), call, subject.run(), *subject.call(call));
  return row;
}

std::vector<std::string> unequal_start(const Index& plain, const Index& subject, const Row* model, double bound) {
  std::vector<std::string> why;
  if (plain.run().passes != subject.run().passes)
    why.push_back(
        fmt::format("{} passes of the model before the optimizer's first step on the reference, {} on the subject: a loss "
                    "scaler that skips steps?",
                    plain.run().passes, subject.run().passes));
  std::size_t differing = 0;
  for (const Parameter& parameter : plain.run().parameters) {
    const Parameter* other = subject.parameter(parameter.name);
    if (!other) continue;
    if (parameter.value.shape != other->value.shape)
      why.push_back(fmt::format("parameter {}: shape [{}] against [{}]", parameter.name,
                                fmt::join(parameter.value.shape, ","), fmt::join(other->value.shape, ",")));
    else if (const double error = relative_error(parameter.value, other->value); error > bound && ++differing <= kMostNamed)
      why.push_back(fmt::format("parameter {} starts {:.2g} % off", parameter.name, 100 * error));
  }
  if (differing > kMostNamed) why.push_back(fmt::format("{} more parameters start otherwise", differing - kMostNamed));
  if (model && model->input.off)
    why.push_back(fmt::format("the input of {} is {:.2g} % off", model->module, 100 * model->input.error));
  return why;
}

void name_strangers(Comparison& result, const Recording& plain, const Recording& subject) {
  const auto counts = [](const Recording& run) {
    std::map<std::string, int> all;
    for (const Call& call : run.calls) ++all[call.module];
    return all;
  };
  const auto name = [](const std::map<std::string, int>& calls, std::map<std::string, int> elsewhere,
                       std::vector<std::string>& only) {
    for (const auto& [module, count] : calls)
      if (const int other = elsewhere[module]; other == 0) only.push_back(module);
      else if (count > other) only.push_back(fmt::format("{} ({} calls against {})", module, count, other));
  };
  const std::map<std::string, int> here = counts(plain), there = counts(subject);
  name(here, there, result.only_reference);
  name(there, here, result.only_subject);
}

}  // namespace

double relative_error(const Described& reference, const Described& other, double least_norm) {
  const double norm = std::max(std::abs(reference.norm), least_norm), root = root_of_count(reference);
  double difference = 0, size = 0, sampled = 0;
  for (std::size_t i = 0; i < std::min(reference.sample.size(), other.sample.size()); ++i) {
    const double a = reference.sample[i], b = other.sample[i];
    if (std::isfinite(a) != std::isfinite(b)) return kInfinite;
    if (!std::isfinite(a)) continue;
    difference += std::abs(a - b);
    size += std::abs(a);
    ++sampled;
  }
  if ((reference.nonfinite == 0) != (other.nonfinite == 0)) return kInfinite;
  return std::max({share_of(difference, std::max(size, sampled * least_norm / root)),
                   share_of(std::abs(reference.norm - other.norm), norm), mean_error(reference, other, norm / root)});
}

bool Error::is_compared() const { return known && std::isfinite(healthy); }

std::size_t Comparison::outputs_compared() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, [](const Row& row) { return row.output.is_compared(); }));
}

std::size_t Comparison::gradients_compared() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, [](const Row& row) {
    return row.gradient.is_compared() || row.input_gradient.is_compared() || row.parameter_gradient.is_compared();
  }));
}

Comparison compare(std::span<const Recording> reference, const Recording& subject_run, double bound) {
  const auto plain_run = std::ranges::find(reference, 0, &Recording::perturbed);
  if (plain_run == reference.end()) throw std::runtime_error("the reference has no run that is not perturbed");
  const Index plain(*plain_run), subject(subject_run);
  std::vector<Index> perturbed;
  for (const Recording& run : reference)
    if (run.perturbed) perturbed.emplace_back(run);
  Comparison result{.bound = bound, .perturbed_runs = perturbed.size()};
  name_strangers(result, *plain_run, subject_run);
  for (const Call& call : plain_run->calls)
    if (subject.call(call)) result.rows.push_back(row_of(plain, call, perturbed, subject, bound));
  if (result.rows.empty()) throw std::runtime_error("no module is on both sides");
  result.backward = backward_order(*plain_run, result.rows);
  for (const Parameter& parameter : plain_run->parameters) {
    const Parameter* other = subject.parameter(parameter.name);
    if (!parameter.gradient && other && !other->gradient) result.without_gradient.push_back(parameter.name);
  }
  // The first module that no other one called is the model; a loss comes after it.
  const auto model = std::ranges::find(result.rows, "", &Row::inside);
  result.unequal = unequal_start(plain, subject, model == result.rows.end() ? nullptr : &*model, bound);
  if (!result.unequal.empty()) return result;
  result.forward_first = first_forward(result.rows);
  // What the outputs differ by, their gradients differ by, too.
  if (!result.forward_first) result.backward_first = first_backward(result.rows, result.backward);
  return result;
}

}  // namespace bisectd::driver::align
