// All commands of the program. Each is a subcommand with its options in a file of its own (NAME.cpp; what bisectd says of
// itself in interface.cpp); its add_NAME() adds it to `app`, and parsing it sets `action`. In the order of a user's day.
#pragma once

#include <vector>

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_check(CLI::App& app, Action& action);       ///< all that can be found out before a search
void add_init(CLI::App& app, Action& action);        ///< a first experiment file, with comments
void add_plan(CLI::App& app, Action& action);        ///< what a run would do first, and what it should take
void add_simulate(CLI::App& app, Action& action);    ///< what finding planted culprits would take
void add_families(CLI::App& app, Action& action);    ///< what can be switched off, and how
void add_discover(CLI::App& app, Action& action);    ///< which members one run of the subject uses; no search
void add_align(CLI::App& app, Action& action);       ///< one step of both sides, module by module; no search
void add_trial(CLI::App& app, Action& action);       ///< one judged trial by hand
void add_run(CLI::App& app, Action& action);         ///< the whole search
void add_resume(CLI::App& app, Action& action);      ///< goes on with a run that was interrupted
void add_status(CLI::App& app, Action& action);      ///< what a run is doing now, from another terminal
void add_report(CLI::App& app, Action& action);      ///< any report of a run again, from its journal and logs
void add_explain(CLI::App& app, Action& action);     ///< why a suspect is in or out, from the journal alone
void add_compare(CLI::App& app, Action& action);     ///< the verdict of a run for logs that already exist
void add_record(CLI::App& app, Action& action);      ///< runs the trusted side, into a file for another machine
void add_accept(CLI::App& app, Action& action);      ///< makes the curve of a run the baseline of later ones
void add_prune(CLI::App& app, Action& action);       ///< which entries of the workaround in use are still needed
void add_ci(CLI::App& app, Action& action);          ///< a suite of models, each against its baseline
void add_history(CLI::App& app, Action& action);     ///< what earlier runs came to, and who was guilty how often
void add_schema(CLI::App& app, Action& action);      ///< the JSON schema of experiment files, for editors
void add_completion(CLI::App& app, Action& action);  ///< a script that completes the command line in bash, zsh or fish
void add_manual(CLI::App& app, Action& action);      ///< the manual page, for the build to install
void add_version(CLI::App& app, Action& action);     ///< what this program is, for people and scripts

/// The words of a command line, with the "--" of `compare` as the option it stands for: the parser of command lines
/// would swallow it.
std::vector<char*> with_candidates(int argc, char** argv);

/// Reads arguments, calls the command, turns what went wrong into a message. The exit code is one of ExitCode.
int dispatch(int argc, char** argv);

}  // namespace bisectd::driver::commands
