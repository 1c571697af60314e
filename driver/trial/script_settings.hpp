// What the shell scripts that a command starts set themselves: it comes after what bisectd sets, and stands instead of it.
#pragma once

#include <string>
#include <vector>

#include "driver/trial/attempts.hpp"

namespace bisectd::driver {

/// A line that sets a variable, whatever it was before.
struct ScriptSetting {
  configs::Place place;  ///< in the script; of a text within the command, in the experiment
  std::string variable;
  std::string value;  ///< as the line says it
};

/// Of the scripts that the side's command names, and of those that they start or read in turn. What keeps a value that is
/// there
/// (`${X:-2}`, `if [ -z "$X" ]`) is not among them. Read line by line, not run: what a branch does is taken for done.
std::vector<ScriptSetting> settings_in_scripts(const LaunchSide& side);

/// Notes in the experiment which suspects such lines keep from being neutralised, and says so, a warning for each line.
std::vector<configs::Placed<std::string>> note_overwritten(configs::Experiment& experiment, const LaunchSide& subject);

}  // namespace bisectd::driver
