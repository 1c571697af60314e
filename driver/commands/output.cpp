#include "driver/commands/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/console.hpp"
#include "reports/json.hpp"

namespace bisectd::driver::commands {

void add_output_options(CLI::App& command, OutputOptions& output) {
  command.add_flag("-q,--quiet", output.quiet, "no progress on stderr");
  command.add_flag("--json", output.json, "print report.json instead of text on stdout");
  command.add_option("--color", output.color, "colour in the result: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
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
