// Checks what only the whole experiment can tell, and settles what the subject as it is really has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "configs/experiment.hpp"
#include "configs/loader.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// Placeholders that nothing can fill, variables claimed twice, a goal, a soak, a perturbation or a `hold` that do not fit,
/// a black list that the subject brings along with bad names, nothing to search unless only the workaround is `needed`. Sets
/// Toggle::suspect of every family, and both values where another family needs one in every run.
void check_and_settle(Experiment& experiment, Needed needed, Problems& problems);

/// What `perturb` of a side and the rest of an experiment say about each other.
void check_perturbations(const Experiment& experiment, Problems& problems);

/// Warns of a check that the commands themselves answer differently, and, with standard checks, of numbers of devices that
/// differ where no command tells the batch. Nothing where a side is not run.
void warn_of_known_differences(const Experiment& experiment, Problems& problems);

/// `unset` of the side takes a variable away.
bool is_unset(const Side& side, const std::string& name);

/// The side's own value of a variable, where it stands instead of `value`: it differs, and `value` does not keep what was
/// there ({and_inherited}). Otherwise null.
const Placed<std::string>* instead_of(const std::string& value, const std::string& variable, const Side& side);

/// Every variable or argument by which the selected families deliver, with who does it.
std::vector<std::pair<const Delivery*, std::string>> deliveries(const Experiment& experiment);

/// A problem for each placeholder among `words`, of a text of this side, for which the experiment has no value.
void check_not_empty(const std::vector<std::string>& words, const Place& place, const Side& side, const std::string& what,
                     const Experiment& experiment, Problems& problems);

}  // namespace bisectd::configs
