// How `bisectd align` gets a training to write down what its modules compute in one step.
#pragma once

#include <map>
#include <string>

#include "configs/place.hpp"

namespace bisectd::configs {

struct Alignment {
  std::string environment;  ///< variable that holds the file to write; unset in all other runs
  std::map<std::string, std::string>
      needs;            ///< further variables of such a run; may hold the placeholders of a family's variables
  double bound = 0.01;  ///< accepted relative difference of a module's tensors, a fraction
  Place place;
};

}  // namespace bisectd::configs
