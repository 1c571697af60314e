// What most commands work on, and where they look for it when it is not named; words and numbers that options take.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace CLI {
class Validator;
}

namespace bisectd::driver::commands {

/// EXPERIMENT; not named, experiment.yaml of the current folder, which is where `init` writes one. `experiment` must
/// outlive the parsing.
void add_experiment(CLI::App& command, std::string& experiment, const std::string& description = "the experiment file");

/// DIR, a run directory; not named, the last run that was started in the current folder. `folder` must outlive the
/// parsing.
void add_run_directory(CLI::App& command, std::string& folder);

/// Refuses every other word, and names the one that was meant. Completions offer the words (interface.cpp).
CLI::Validator one_of(const std::vector<std::string>& words);

/// CLI::Range takes nan for a number within any limits; this does not.
CLI::Validator number_in(double least, double most);

/// Of an option in percent: takes `2%` for 2.
CLI::Validator percent_sign();

}  // namespace bisectd::driver::commands
