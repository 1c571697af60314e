// Where the subject's step leaves the reference's, module by module: forward in the order of execution, backward in its own.
// Pure. Says where a deviation begins; what causes it, only a search by trials can prove.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/align/recording.hpp"

namespace bisectd::driver::align {

/// Relative differences: the sum of what sampled elements differ by over the sum of their sizes, or the difference of the
/// norms, or that of the means over the root mean square, whichever is largest. Fractions; infinite where a size is 0 or an
/// element is finite on one side only. A norm below `least_norm` counts as that.
double relative_error(const Described& reference, const Described& other, double least_norm = 0);

/// Of several tensors the worst.
struct Error {
  double error = 0;    ///< of the subject
  double healthy = 0;  ///< of the reference's own perturbed runs, the largest
  bool off = false;    ///< beyond the bound and beyond kBeyondHealthy times what healthy runs differ by
  bool known = false;  ///< there was something to compare
  /// And it was finite in healthy runs.
  bool is_compared() const;
};

/// A perturbed run starts from parameters that are off by one rounding; a device rounds in every operator. So a few times
/// its difference is healthy.
inline constexpr double kBeyondHealthy = 3;

/// One call of a module on both sides.
struct Row {
  std::string module, class_name, inside;
  int number = 1;
  bool function = false;
  bool draws = false;              ///< on either side
  Error input, output;             ///< of the forward
  Error gradient;                  ///< that comes to its output
  Error input_gradient;            ///< that it gives to its input; of what several modules read it is their sum
  Error parameter_gradient;        ///< of its own parameters, not those of modules within it
  std::vector<std::string> flags;  ///< shapes, dtypes, shares of zeros, gradients that are missing
};

/// Where a direction leaves the reference first.
struct Deviation {
  std::string module;  ///< what it computes itself, not what modules within it do
  int number = 1;      ///< of its calls
  std::string class_name;
  std::string caller;  ///< of a function: the module that called it and computes it itself; empty: none, or a module
  std::string at;      ///< the module at which it is seen: itself, or one within it whose input is off already
  Error error;
  bool draws = false;      ///< it draws random numbers, which two devices never draw alike
  bool inherited = false;  ///< even its input is off, and no module made that: the script does, between modules
};

struct Comparison {
  double bound = 0;                   ///< accepted relative difference
  std::size_t perturbed_runs = 0;     ///< of the reference; 0: nobody knows what is healthy
  std::vector<Row> rows;              ///< in the order of execution
  std::vector<std::size_t> backward;  ///< indices of rows, in the order in which their backward ended
  std::vector<std::string> unequal;   ///< why the sides did not start alike: data, parameters; then nothing can be said
  std::vector<std::string> only_reference, only_subject;  ///< modules; or how often they are called, where only that differs
  std::vector<std::string> without_gradient;              ///< parameters that got none on either side
  std::optional<Deviation> forward_first, backward_first;

  bool deviates() const { return forward_first || backward_first; }
  std::size_t outputs_compared() const;  ///< rows whose output was
  std::size_t gradients_compared() const;
};

/// `reference`: its runs, one of them not perturbed. Throws std::runtime_error if none is, or no module is on both sides.
Comparison compare(std::span<const Recording> reference, const Recording& subject, double bound);

}  // namespace bisectd::driver::align
