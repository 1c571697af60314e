// Names of what msprobe and ptdbg dump: calls and their tensors.
#pragma once

#include <optional>
#include <string>

namespace bisectd::driver::align {

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
