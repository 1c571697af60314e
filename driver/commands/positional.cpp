#include "driver/commands/positional.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

namespace bisectd::driver::commands {
namespace {

// Looked for only once the line was parsed, so that --help and the manual say the same in every folder.
void add_with_default(CLI::App& command, const std::string& name, std::string& value, const std::string& description,
                      const std::string& usual) {
  command.add_option(name, value, fmt::format("{} (default: {})", description, usual));
  command.parse_complete_callback([&value, name, usual] {
    if (!value.empty()) return;
    if (std::error_code error; !std::filesystem::exists(usual, error))
      throw CLI::ValidationError(fmt::format("{} is required, as there is no {} here", name, usual));
    value = usual;
  });
}

}  // namespace

void add_experiment(CLI::App& command, std::string& experiment, const std::string& description) {
  add_with_default(command, "EXPERIMENT", experiment, description, "experiment.yaml");
}

void add_run_directory(CLI::App& command, std::string& folder) {
  add_with_default(command, "DIR", folder, "the run directory", "bisectd-out/latest");
}

}  // namespace bisectd::driver::commands
