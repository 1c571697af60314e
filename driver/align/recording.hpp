// What the modules of a model computed in one training step, as a shim wrote it down
// (configs/presets/python/bisectd_align.py says what the lines are). One file holds one run or several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bisectd::driver::align {

/// A tensor: figures over all elements that are finite, and a sample of them.
struct Described {
  std::vector<std::int64_t> shape;
  std::string dtype;  ///< as the framework calls it: float32
  double min = 0, max = 0, mean = 0;
  double norm = 0;             ///< root of the sum of squares
  double zeros = 0;            ///< share of all elements
  std::size_t nonfinite = 0;   ///< elements that are not finite
  std::vector<double> sample;  ///< NaN where one is not finite
};

/// A tensor that modules got or returned, and the gradient that came back to it.
struct Value {
  Described value;
  std::optional<Described> gradient;
  std::size_t arrived = 0;  ///< 1, 2, ... in the order in which gradients came; 0: none
};

/// One call of a module. Calls stand in the order in which they ended: a module after those within it.
struct Call {
  std::string module;  ///< named as a suspect is
  int number = 1;      ///< of this module's calls
  std::string class_name;
  std::string inside;                ///< the module that called it; empty: none
  bool function = false;             ///< not a module: Functional.gelu
  bool draws = false;                ///< random numbers, or a module within it does
  std::vector<std::size_t> in, out;  ///< indices of values
};

struct Parameter {
  std::string name;  ///< stem.conv.weight
  std::string module;
  Described value;
  std::optional<Described> gradient;
};

struct Recording {
  int perturbed = 0;  ///< seed of the run's perturbation; 0: none
  std::string framework;
  int passes = 1;  ///< calls of the model before the optimizer's first step
  std::vector<Value> values;
  std::vector<Call> calls;
  std::vector<Parameter> parameters;
};

/// The runs in a file. Throws std::runtime_error "FILE:LINE: why" for a file that is no recording or not whole;
/// std::system_error for one that cannot be read.
std::vector<Recording> read_recordings(const std::filesystem::path& file);

/// The line that says how the run after it was perturbed, for a file of several runs.
std::string run_line(int perturbed);

}  // namespace bisectd::driver::align
