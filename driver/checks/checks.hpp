// Facts that both sides must agree on before a night is spent: the output of a command run on each, what a pattern finds
// in the logs of each. Says how they differ; decides nothing.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/launch/launcher.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {

/// What checks say of one side, by their names: the output of the command, or the values that the pattern finds with ", "
/// between them (empty: none).
using Facts = std::map<std::string, std::string>;

/// Which side a fact is of.
enum class SideName { reference, subject };

/// Runs the commands of all checks on one side, one after the other; outputs stay in `folder`, which is made if there is a
/// command. Throws std::runtime_error, with the check's name, for a command that fails or prints more than can be compared.
Facts facts_of_commands(const configs::Experiment& experiment, const LaunchSide& side, SideName name,
                        launch::Launcher& launcher, const std::filesystem::path& folder, const std::string& tag);

/// What those commands printed, as far as their outputs are still in `folder`.
Facts facts_of_commands_again(const configs::Experiment& experiment, SideName name, const std::filesystem::path& folder);

/// What the patterns of all checks find in these files, which a training on so many devices wrote; 0: nobody knows on how
/// many.
Facts facts_in_files(const configs::Experiment& experiment, std::span<const std::filesystem::path> files, int devices);
/// The same for the logs of one whole attempt of a side.
Facts facts_in_logs(const configs::Experiment& experiment, const configs::Side& side, const std::filesystem::path& attempt);

/// One sentence per check with a command whose outputs differ. Facts of other checks are not looked at.
std::vector<std::string> differing_commands(const configs::Experiment& experiment, const Facts& reference,
                                            const Facts& subject);

/// One sentence per check whose patterns find different values in the logs, or none on a side. A standard check is compared
/// where both logs have a value, numbers and the words for true and false by what they mean.
std::vector<std::string> differing_logs(const configs::Experiment& experiment, const Facts& reference, const Facts& subject);

/// One sentence per standard check that only one of the logs says something of.
std::vector<std::string> one_sided_logs(const configs::Experiment& experiment, const Facts& reference, const Facts& subject);

/// Whether a check was compared: a standard one only where both logs have a value.
bool is_compared(const configs::Check& check, const Facts& reference, const Facts& subject);

}  // namespace bisectd::driver
