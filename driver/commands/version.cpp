#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "configs/loader.hpp"
#include "driver/record/program_version.hpp"
#include "reports/json.hpp"

namespace bisectd::driver::commands {

void add_version(CLI::App& app, Action& action) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("version", "say which bisectd this is");
  command->add_flag("--json", *json,
                    "one JSON document: version, commit, architecture, schemas, presets, where its data is");
  command->callback([&action, json] {
    action = [json] {
      const nlohmann::ordered_json all{{"version", kVersion},
                                       {"commit", kCommit},
                                       {"architecture", kArchitecture},
                                       {"report_schema", reports::kSchemaVersion},
                                       {"experiment_schema", 1},
                                       {"presets", configs::preset_names()},
                                       {"data", configs::data_folder().string()}};
      fmt::print("{}\n", *json ? all.dump(2) : version_line());
      return ExitCode::success;
    };
  });
}

}  // namespace bisectd::driver::commands
