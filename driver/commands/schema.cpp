#include "driver/commands/schema.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "configs/loader.hpp"
#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::commands {

void add_schema(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("schema", "print the JSON schema of experiment files, for editors");
  command->callback([&action] {
    action = [] {
      fmt::print("{}", keep::read_file(configs::data_folder() / "schema/experiment.schema.json"));
      return 0;
    };
  });
}

}  // namespace bisectd::driver::commands
