#include "driver/commands/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "driver/log/log.hpp"
#include "reports/console.hpp"
#include "reports/json.hpp"

#include "driver/commands/one_of.hpp"
namespace bisectd::driver::commands {

void add_stderr_options(CLI::App& command) {
  using log::Level;
  static const std::map<std::string, Level> levels{
      {"debug", Level::debug}, {"info", Level::info}, {"warning", Level::warning}, {"error", Level::error}};
  auto* quiet = command.add_flag_callback(
      "-q,--quiet", [] { log::show_on_stderr(Level::error); }, "only errors on stderr");
  auto* verbose = command.add_flag_callback(
      "-v,--verbose", [] { log::show_on_stderr(Level::debug); }, "show on stderr everything that bisectd.log gets");
  auto* level = command.add_option_function<std::string>(
      "--log-level", [](const std::string& word) { log::show_on_stderr(levels.at(word)); },
      "the least important messages that stderr shows: debug, info, warning or error");
  level->check(one_of({"debug", "info", "warning", "error"}))->default_str("info");
  quiet->excludes(verbose)->excludes(level);
  verbose->excludes(level);
}

void add_output_options(CLI::App& command, OutputOptions& output) {
  add_stderr_options(command);
  command.add_flag("--json", output.json, "print report.json instead of text on stdout");
  command.add_option("--color", output.color, "colour in the result: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
}

bool wants_colour(const OutputOptions& output) {
  // Order of precedence: our own option, NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR, CLICOLOR=0, then the terminal
  // (conventions of no-color.org, force-color.org and bixense.com/clicolors).
  const auto value_of = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value ? value : "");
  };
  const auto is_set = [&](const char* name) { return !value_of(name).empty(); };
  if (output.color != "auto") return output.color == "always";
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR")) return true;
  if (value_of("CLICOLOR") == "0") return false;
  return ::isatty(STDOUT_FILENO) && is_set("TERM") && value_of("TERM") != "dumb";
}

void print_result(const reports::Record& record, const OutputOptions& output) {
  const auto colour = wants_colour(output) ? reports::Colour::always : reports::Colour::never;
  fmt::print("{}", output.json ? reports::to_json(record) : reports::result_text(record, colour));
}

}  // namespace bisectd::driver::commands
