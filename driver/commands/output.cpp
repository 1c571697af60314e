#include "driver/commands/output.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "driver/commands/command.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/keep/descriptor.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/log/log.hpp"
#include "reports/console.hpp"
#include "reports/json.hpp"

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

namespace {

namespace fs = std::filesystem;

/// Of what a link leads to.
bool takes_bytes_as_they_come(const fs::path& file) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool belongs_to_a_run(const fs::path& file) {
  const fs::path target = fs::weakly_canonical(file);
  for (fs::path folder = target.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
    if (!fs::exists(folder / "journal.jsonl")) continue;
    const std::string within = target.lexically_relative(folder).string();
    return !within.starts_with("report.") && within != "workaround.sh";
  }
  return false;
}

void write_through(const fs::path& file, std::string_view content) {
  const keep::Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!descriptor || !keep::write_all(descriptor.get(), content))
    throw std::system_error(errno, std::generic_category(), fmt::format("{}: cannot be written", file.string()));
}

}  // namespace

void check_output_file(const fs::path& file, bool replace) {
  if (takes_bytes_as_they_come(file)) return;
  try {
    if (fs::is_directory(file)) throw UsageError(fmt::format("{} is a folder; name a file in it", file.string()));
    const bool there = fs::exists(file);
    if (there && belongs_to_a_run(file))
      throw UsageError(fmt::format("{} belongs to the run and is not replaced", file.string()));
    if (there && !replace) throw UsageError(fmt::format("{} is there already; replace it with --yes", file.string()));
    const fs::path folder = fs::absolute(there ? fs::canonical(file) : file).parent_path();
    fs::create_directories(folder);
    const keep::TemporaryFolder probe(folder);  // asking for rights misleads root
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{} cannot be written: {}", file.string(), error.code().message()));
  }
}

void write_output_file(const fs::path& file, std::string_view content) {
  if (takes_bytes_as_they_come(file)) return write_through(file, content);
  keep::write_file_durably(fs::exists(file) ? fs::canonical(file) : file, content);
}

}  // namespace bisectd::driver::commands
