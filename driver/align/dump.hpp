// Reads what msprobe dumped of one training step (dump.json and, for who called whom, construct.json beside it), and the
// names and statistics in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "driver/align/recording.hpp"

namespace bisectd::driver::align {

struct Statistics {
  std::vector<std::int64_t> shape;
  std::string dtype;
  std::optional<double> max, min, mean, norm;  ///< integers have no mean and no norm
};

/// Such a tensor, so that relative_error() compares it: its largest and smallest elements stand for the sample.
/// Nothing if no figure is known.
std::optional<Described> described(const Statistics& statistics);

/// The step's first forward, and the backward of that. What is called after the backward began is left out: the optimizer,
/// further micro-batches, and what is computed again for want of memory. A function is a call, too, as Functional.gelu.
/// Throws std::runtime_error "FILE: why" for a file that is no dump or has no statistics; std::system_error for one that
/// cannot be read.
Recording read_dump(const std::filesystem::path& dump_json);

/// Functional.gelu.0.forward.output.0, Module.conv.Conv2d.backward.0, Functional_gelu_0_forward_output.0
struct DumpName {
  enum class Part { forward, backward, parameter_gradient };

  std::string kind;        ///< Functional, Tensor, Module ...
  std::string name;        ///< gelu; of a module where it is: conv
  std::string class_name;  ///< of a module; of a function its name
  int number = 0;          ///< of this module's or function's calls, from 0
  Part part = Part::forward;
  bool is_module = false;
  bool output = false;
};

/// Nothing for a text that is no such name.
std::optional<DumpName> dump_name(const std::string& text);

}  // namespace bisectd::driver::align
