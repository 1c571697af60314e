#include "driver/sides.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "configs/loader.hpp"
#include "driver/inherited_environment.hpp"
#include "driver/launch/executable.hpp"
#include "driver/launch/shell_environment.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const configs::Place& place, std::string message, std::string hint) {
  throw configs::ConfigError({{place, std::move(message), std::move(hint)}});
}

LaunchSide prepare(const configs::Side& settings, const fs::path& experiment_folder, launch::Launcher& launcher,
                   const fs::path& folder, const std::string& tag) {
  LaunchSide side;
  side.settings = &settings;
  side.directory = settings.directory ? experiment_folder / *settings.directory : experiment_folder;
  if (!fs::is_directory(side.directory))
    refuse(settings.place, fmt::format("the folder {} does not exist", side.directory.string()), "");
  side.environment = inherited_environment();
  if (settings.setup) {
    fs::create_directories(folder);
    auto captured = launch::capture_environment(launcher, {.text = settings.setup->value,
                                                           .environment = side.environment,
                                                           .directory = side.directory,
                                                           .folder = folder,
                                                           .tag = tag});
    if (!captured) refuse(settings.setup->place, captured.error(), "");
    side.environment = std::move(*captured);
  }
  for (const std::string& name : settings.unset) side.environment.erase(name);
  // Trainings are Python: buffered output would look like a stall, and hide a run that can be ended early.
  side.environment.emplace("PYTHONUNBUFFERED", "1");
  for (const auto& [name, value] : settings.environment) side.environment[name] = value.value;
  side.pool = std::make_unique<launch::DevicePool>(settings.devices);
  return side;
}

void check_command(const LaunchSide& side) {
  if (side.settings->command.empty()) return;  // a recorded reference
  const configs::Placed<std::string>& program = side.settings->command.front();
  if (const auto found = launch::find_executable(program.value, side.environment, side.directory); !found)
    refuse(program.place, found.error(), "");
}

}  // namespace

Sides prepare_sides(const configs::Experiment& experiment, launch::Launcher& launcher, const fs::path& run_folder,
                    const std::string& run_tag) {
  const fs::path folder = fs::absolute(experiment.file).parent_path();
  Sides sides{prepare(experiment.reference, folder, launcher, run_folder / "setup-reference", run_tag + "/setup"),
              prepare(experiment.subject, folder, launcher, run_folder / "setup-subject", run_tag + "/setup")};
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    for (const auto& [variable, value] : family.environment) sides.subject.environment[variable] = value;
    if (!family.effect) continue;
    for (const auto& [variable, value] : family.effect->environment)
      if (!experiment.subject.environment.contains(variable)) sides.subject.environment[variable] = value;
  }
  check_command(sides.reference);
  check_command(sides.subject);
  return sides;
}

void settle_toggles(configs::Experiment& experiment, const neutralise::Environment& environment) {
  for (auto& [name, family] : experiment.families)
    for (auto& [switch_name, toggle] : family.toggles) toggle.suspect = configs::settled_suspect(toggle, environment);
}

}  // namespace bisectd::driver
