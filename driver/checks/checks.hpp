// Facts that both sides must agree on before a night is spent: the output of a command run on each, what a pattern finds
// in the logs of each. Says how they differ; decides nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/launch/launcher.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {

/// Runs the commands of all checks on both sides, one after the other; outputs stay in `folder`. One sentence per check
/// whose outputs differ. Throws std::runtime_error, with the check's name, for a command that fails.
std::vector<std::string> differing_commands(const configs::Experiment& experiment, const Sides& sides,
                                            launch::Launcher& launcher, const std::filesystem::path& folder,
                                            const std::string& tag);

/// One sentence per check whose pattern finds different values in the logs, or none on a side. `reference` and `subject`:
/// the folder of one whole attempt of each; that of a recorded reference is not looked at.
std::vector<std::string> differing_logs(const configs::Experiment& experiment, const std::filesystem::path& reference,
                                        const std::filesystem::path& subject);

}  // namespace bisectd::driver
