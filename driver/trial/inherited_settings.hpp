// What the subject's suspects are switched by, and what of it comes from the shell that bisectd was started in, so that
// another shell would train something else.
#pragma once

#include <optional>

#include "driver/neutralise/recipe.hpp"

namespace bisectd::driver {

/// Of the variables that the searched families switch their members by: those that `subject` has as the shell has them,
/// and that its experiment does not set.
neutralise::Environment inherited_settings(const configs::Experiment& experiment, const neutralise::Environment& subject);

/// The same before a side is made ready; a `setup` may set another value.
neutralise::Environment settings_of_shell(const configs::Experiment& experiment);

/// Those of `inherited` that neutralise something in every run, by the settled toggles of the experiment.
neutralise::Environment neutralising(const configs::Experiment& experiment, const neutralise::Environment& inherited);

/// Says what `inherited` neutralises, and what to do where that is not meant; nothing if it neutralises nothing.
std::optional<configs::Placed<std::string>> warning_of_inherited(const configs::Experiment& experiment,
                                                                 const neutralise::Environment& inherited);

neutralise::Environment inherited_environment();

}  // namespace bisectd::driver
