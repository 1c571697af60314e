#include "driver/commands/dispatch.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "configs/loader.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/run.hpp"
#include "driver/keep/journal.hpp"
#include "driver/keep/lock.hpp"
#include "driver/loop.hpp"
#include "driver/version.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {
namespace {

constexpr int kUsage = 2;
constexpr int kInfrastructure = 4;
constexpr int kBug = 70;

int complain(int code, const std::string& message) {
  fmt::print(stderr, "bisectd: {}\n", reports::plain_lines(message));
  return code;
}

void add_output_options(CLI::App& command, OutputOptions& output) {
  command.add_flag("-q,--quiet", output.quiet, "no progress on stderr");
  command.add_flag("--json", output.json, "print report.json instead of text on stdout");
  command.add_option("--color", output.color, "colour in the result: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

/// The word that was meant as a command, when there is none of that name.
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  if (std::ranges::count(names, arguments.front())) return {};
  const auto near = configs::nearest(arguments.front(), names);
  return fmt::format("there is no command '{}'{}", arguments.front(),
                     near ? fmt::format("; did you mean '{}'?", *near) : "; `bisectd --help` lists them");
}

int run_guarded(const std::function<int()>& command) {
  try {
    return command();
  } catch (const configs::ConfigError& error) {
    fmt::print(stderr, "{}", configs::render(error));
    return kUsage;
  } catch (const UsageError& error) {
    return complain(kUsage, error.what());
  } catch (const Infrastructure& error) {
    return complain(kInfrastructure, error.what());
  } catch (const keep::JournalDamaged& error) {
    return complain(kInfrastructure, error.what());
  } catch (const keep::Locked& error) {
    return complain(kInfrastructure, error.what());
  } catch (const std::system_error& error) {
    return complain(kInfrastructure, error.what());
  } catch (const std::exception& error) {
    return complain(kBug, fmt::format("this is a bug: {}", error.what()));
  }
}

}  // namespace

int dispatch(int argc, char** argv) {
  CLI::App app{"Finds the operators and flags that make a training lose accuracy on an NPU: it relaunches short "
               "trainings with suspects neutralised, compares each loss curve with the reference, and bisects."};
  app.set_version_flag("--version", std::string("bisectd ") + kVersion);
  app.require_subcommand(1);

  RunOptions run;
  CLI::App* run_command = app.add_subcommand("run", "search for the culprits that an experiment file describes");
  run_command->add_option("EXPERIMENT", run.experiment, "the experiment file (YAML)")->required();
  run_command->add_option("--out", run.out, "folder that gets the run directory, or a run directory to go on with")
      ->capture_default_str();
  run_command->add_flag("--new", run.fresh, "start anew even if the last run in --out is not finished");
  run_command->add_flag("--accept-changes", run.accept_changes, "go on although the experiment was changed");
  add_output_options(*run_command, run.output);

  ResumeOptions resume;
  CLI::App* resume_command = app.add_subcommand("resume", "go on with a run that was interrupted");
  resume_command->add_option("DIR", resume.folder, "the run directory")->required();
  resume_command->add_flag("--accept-changes", resume.accept_changes, "go on although the experiment was changed");
  add_output_options(*resume_command, resume.output);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string unknown = unknown_command(app, {argv + 1, argv + argc});
    return complain(kUsage, unknown.empty() ? error.what() : unknown);
  }
  return run_guarded([&] { return run_command->parsed() ? run_experiment(run) : resume_run(resume); });
}

}  // namespace bisectd::driver::commands
