// What an experiment says of members that nobody found. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/neutralise/catalogue.hpp"

namespace bisectd::driver {

/// A warning, with its place and the nearest right name, for each name in `exclude`, `likely` and `price` of a
/// family that discovers its members and is in none of `found`: most likely it is misspelt. The loader sees to other
/// families, and to what is excluded and stands in the family's table of names.
std::vector<configs::Placed<std::string>> unseen_names(const configs::Experiment& experiment,
                                                       std::span<const neutralise::Discovered> found);

}  // namespace bisectd::driver
