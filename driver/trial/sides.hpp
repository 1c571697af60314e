// Prepares both sides for launching: environment (setup shell run once), working directory, device pool; and checks
// that their commands exist before anything is started.
#pragma once

#include "driver/trial/attempts.hpp"

namespace bisectd::driver {

struct Sides {
  LaunchSide reference;
  LaunchSide subject;
};

/// What the experiment says of the side that trials of this role run.
inline const configs::Side& side_of(const configs::Experiment& experiment, reports::Role role) {
  if (role == reports::Role::reference) return experiment.reference;
  return experiment.subject;
}

/// Setup leaves its logs in `run_folder`. Throws configs::ConfigError (with the place in the experiment file) for a
/// command, folder or setup that does not work.
Sides prepare_sides(const configs::Experiment& experiment, launch::Launcher& launcher,
                    const std::filesystem::path& run_folder, const std::string& run_tag);

/// A family's value for a variable, with everything but the attempt's placeholders put in.
std::string family_variable(const LaunchSide& side, const std::string& variable, std::string value);

/// Gives every toggle the value that the subject really has.
void settle_toggles(configs::Experiment& experiment, const neutralise::Environment& environment);

/// The same now that the subject's whole environment is known. What only the shell neutralises, and what a script that the
/// command starts keeps from being neutralised, become warnings of the experiment, which are returned to be shown. Throws
/// configs::ConfigError where nothing is left to search.
std::vector<configs::Placed<std::string>> settle_suspects(configs::Experiment& experiment, const LaunchSide& subject);

}  // namespace bisectd::driver
