#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "configs/loader.hpp"
#include "configs/schema.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::commands {

void add_schema(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("schema", "print the JSON schema of experiment files, for editors, or of report.json");
  const auto of = std::make_shared<std::string>("experiment");
  command->add_option("WHAT", *of, "experiment or report")->check(one_of({"experiment", "report"}))->capture_default_str();
  command->callback([&action, of] {
    action = [of] {
      const bool report = *of == "report";
      fmt::print("{}", report ? keep::read_file(configs::data_folder() / "schema/report.schema.json")
                              : configs::experiment_schema());
      return ExitCode::success;
    };
  });
}

}  // namespace bisectd::driver::commands
