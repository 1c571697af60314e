// align.html: where one step of the subject leaves the reference's, along the depth of the network.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bisectd::reports {

struct AlignedError {
  double error = 0, healthy = 0;  ///< fractions
  bool off = false, known = false;
};

/// One call of a module. Names and remarks are foreign text.
struct AlignedModule {
  std::string name, class_name;
  AlignedError output;    ///< forward
  AlignedError gradient;  ///< that it makes, backward
  std::vector<std::string> remarks;
};

struct Alignment {
  std::string title;                                         ///< of what: the experiment's name
  std::string verdict;                                       ///< "agrees", "deviates" or "unequal"
  std::vector<std::string> sentences;                        ///< what was found, the answer first
  double bound = 0;                                          ///< a fraction
  bool healthy_known = false;                                ///< perturbed runs show it
  std::vector<AlignedModule> modules;                        ///< in the order of execution
  std::optional<std::size_t> forward_first, backward_first;  ///< indices of modules
};

/// One self-contained page without any script, as report.html: the picture, and all its numbers in a table.
std::string to_html(const Alignment& alignment);

}  // namespace bisectd::reports
