// What the search is asked, from an experiment and its suspects; and what these will be before any run was made.
#pragma once

#include "driver/neutralise/catalogue.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/trial/sides.hpp"
#include "strategies/search.hpp"

namespace bisectd::driver {

/// `slots`: trials that run at once; `exact`: the subject repeats itself bit for bit, so that no verdict is a matter of
/// noise.
strategies::Problem problem_of(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                               std::size_t slots, bool exact);

/// All suspects of the first search, less those that cannot be neutralised together with another one or do not matter then.
strategies::Neutralised most_neutralised(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue);

strategies::EngineKind engine_of(configs::EngineChoice choice);

/// Adds what is set for the discovering run only.
void set_discovery(neutralise::Recipe& recipe, const configs::Experiment& experiment, const LaunchSide& subject);

/// Families whose members only a run can tell, or the framework.
std::vector<std::string> discovered_families(const configs::Experiment& experiment);
/// Of these, the ones that need a run.
std::vector<std::string> families_seen_in_a_run(const configs::Experiment& experiment);

}  // namespace bisectd::driver
