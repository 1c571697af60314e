#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>

#include "configs/resolved.hpp"
#include "driver/commands/experiment_changes.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/output.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/loop/replay.hpp"
#include "reports/console.hpp"
#include "reports/html/page.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/workaround.hpp"

namespace bisectd::driver::commands {
namespace {

struct ReportOptions {
  std::string folder;
  std::string format = "console";
  std::string file;
  std::string color = "auto";
  bool accept_changes = false;
};

std::string rendered(const reports::Record& record, const ReportOptions& options) {
  if (options.format == "console") {
    const bool coloured = options.file.empty() && wants_colour({.color = options.color});
    return reports::result_text(record, coloured ? reports::Colour::always : reports::Colour::never);
  }
  static const std::map<std::string, std::string (*)(const reports::Record&)> renderers{
      {"html", reports::to_html},
      {"json", reports::to_json},
      {"junit", reports::to_junit},
      {"md", reports::to_markdown},
      {"workaround", reports::to_workaround}};
  return renderers.at(options.format)(record);
}

ExitCode report(const ReportOptions& options) {
  const SeenRun run = see_run(options.folder);
  if (!options.file.empty()) check_output_file(options.file, true);
  const configs::Experiment experiment = experiment_of(run, options.accept_changes);
  reports::Record record = replay(experiment, run.directory, run.history, run.process.has_value(), Detail::whole);
  if (const auto changes = changes_under_verdicts(run.history, keep::read_file(run.directory.resolved_experiment()),
                                                  configs::resolved_yaml(experiment));
      !changes.empty())
    record.warnings.push_back(
        fmt::format("the verdicts are those of the run, and the experiment has changed since in what they rest on: {}",
                    fmt::join(changes, ", ")));
  const std::string text = rendered(record, options);
  if (options.file.empty()) fmt::print("{}", text);
  else write_output_file(options.file, text);
  return ExitCode::success;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "report", "write a report of a run again; launches nothing", report);
  add_run_directory(command, options.folder);
  command.add_option("-f,--format", options.format, "console, html, json, junit, md or workaround")
      ->check(one_of({"console", "html", "json", "junit", "md", "workaround"}))
      ->capture_default_str();
  command.add_option("-o,--output", options.file, "write to this file instead of stdout");
  command.add_option("--color", options.color, "colour of the console format: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
  command.add_flag("--accept-changes", options.accept_changes, "read the logs by the experiment as it is now");
}

}  // namespace bisectd::driver::commands
