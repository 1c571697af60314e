// What most commands work on, and where they look for it when it is not named.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace bisectd::driver::commands {

/// EXPERIMENT; not named, experiment.yaml of the current folder, which is where `init` writes one. `experiment` must
/// outlive the parsing.
void add_experiment(CLI::App& command, std::string& experiment, const std::string& description = "the experiment file");

/// DIR, a run directory; not named, the last run that was started in the current folder. `folder` must outlive the
/// parsing.
void add_run_directory(CLI::App& command, std::string& folder);

}  // namespace bisectd::driver::commands
