// Turns an experiment round: what its subject neutralises already becomes what is searched, so that the search proves
// which of it is still needed. Pure.
#pragma once

#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// What the subject neutralises by itself.
struct WorkaroundInUse {
  std::vector<std::string> searched;                 ///< as "family:name"
  std::vector<configs::Placed<reports::Kept>> kept;  ///< stays neutralised; each with the place that says so
};

/// Takes the black lists, safe values and values of ladders that the subject's own environment sets out of it, and the
/// variables that it unsets because that is safe, and makes exactly these the suspects, but for what is kept. With nothing
/// to be searched the experiment is unchanged. Lists that arrive as an argument are not seen: they stand in the command.
WorkaroundInUse search_what_is_in_use(configs::Experiment& experiment);

/// Families, and switches as "family:name", among the suspects that are given as an argument: nobody sees whether the
/// subject's command holds them already.
std::vector<std::string> given_as_arguments(const configs::Experiment& experiment);

}  // namespace bisectd::driver
