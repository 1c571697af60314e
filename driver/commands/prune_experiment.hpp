// Turns an experiment round: what its subject neutralises already becomes what is searched, so that the search proves
// which of it is still needed. Pure.
#pragma once

#include <string>
#include <vector>

#include "configs/experiment.hpp"

namespace bisectd::driver {

/// Takes the black lists, safe values and values of ladders that the subject's own environment sets out of it, and the
/// variables that it unsets because that is safe, and makes exactly these the suspects; what `exclude` names stays, with a
/// warning. Returns them as "family:name"; empty (and the experiment unchanged) when the subject neutralises nothing. Lists
/// that arrive as an argument are not seen: they stand in the command.
std::vector<std::string> search_what_is_in_use(configs::Experiment& experiment);

/// Families, and switches as "family:name", among the suspects that are given as an argument: nobody sees whether the
/// subject's command holds them already.
std::vector<std::string> given_as_arguments(const configs::Experiment& experiment);

}  // namespace bisectd::driver
