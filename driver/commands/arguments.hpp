// A command of the program, what most of them work on and where they look for it when it is not named; words and numbers
// that options take.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/commands/command.hpp"

namespace CLI {
class Validator;
}

namespace bisectd::driver::commands {

/// Adds a subcommand; `given` is called where the command line has it.
CLI::App& add_subcommand(CLI::App& app, const char* name, const char* text, std::function<void()> given);

/// The same for one whose work needs `Options`, which live as long as `app`; being given it is the action.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& app, Action& action, const char* name, const char* text,
                                           ExitCode (*work)(const Options&)) {
  const auto options = std::make_shared<Options>();
  const auto given = [&action, options, work] { action = [options, work] { return work(*options); }; };
  return {add_subcommand(app, name, text, given), *options};
}

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
