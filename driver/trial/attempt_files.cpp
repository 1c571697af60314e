#include "driver/trial/attempt_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/replace.hpp>

#include "configs/secret.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/trial/attempts.hpp"
#include "driver/trial/inherited_environment.hpp"

namespace bisectd::driver {
namespace {

constexpr const char* kShellSafe =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

std::string environment_text(const neutralise::Environment& environment) {
  std::string text;
  for (const auto& [name, value] : environment)
    text += fmt::format("{}={}\n", name, configs::is_secret(name) ? "(secret, not written)" : value);
  return text;
}

void set_perturbation(const configs::Perturbation& perturb, int seed, const neutralise::Placeholders& values,
                      neutralise::Environment& environment) {
  if (perturb.environment) {
    environment.erase(*perturb.environment);  // what the shell has of it would perturb the first run, too
    if (seed) environment[*perturb.environment] = std::to_string(seed);
  }
  if (seed && !perturb.switches.empty())
    for (const auto& [name, value] : perturb.switches.at(static_cast<std::size_t>(seed) - 1))
      environment[name] = neutralise::fill(value.value, values);
}

}  // namespace

std::string shell_text(const LaunchCommand& command) {
  const neutralise::Environment inherited = inherited_environment();
  std::string text;
  for (const auto& [name, value] : inherited)
    if (!command.environment.contains(name)) text += fmt::format("unset {}\n", name);
  for (const auto& [name, value] : command.environment) {
    const auto same = inherited.find(name);
    if (same != inherited.end() && same->second == value) continue;
    if (configs::is_secret(name))
      text += fmt::format(": \"${{{}:?set it yourself, secrets are not written here}}\"\n", name);
    else
      text += fmt::format("export {}={}\n", name, shell_quoted(value));
  }
  text += fmt::format("cd {} || exit\nexec", shell_quoted(command.directory.string()));
  for (const std::string& word : command.argv) text += " " + shell_quoted(word);
  return text + "\n";
}

std::string shell_quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kShellSafe) == std::string::npos) return word;
  return "'" + boost::replace_all_copy(word, "'", "'\\''") + "'";
}

LaunchCommand launch_command(const AttemptRequest& request, const launch::Slot& slot, const std::string& run_tag) {
  const LaunchSide& side = *request.side;
  const neutralise::Recipe recipe = neutralise::placed_in(request.folder, request.recipe);
  const std::string attempt = fmt::format("{:04}-{}", request.trial, request.number);
  neutralise::Placeholders values{.devices = slot.devices,
                                  .visible_devices = slot.visible,
                                  .steps = request.steps ? std::to_string(*request.steps) : "",
                                  .attempt = request.folder.string(),
                                  .arguments = recipe.arguments,
                                  .seed = std::to_string(request.perturbed)};
  const auto& perturb = side.settings->perturb;
  if (perturb && perturb->argument && request.perturbed)
    values.arguments.push_back(neutralise::fill(perturb->argument->value, values));
  LaunchCommand command{.argv = neutralise::fill_command(side.settings->command, values),
                        .environment = side.environment,
                        .directory = side.directory,
                        .tag = run_tag + "/" + attempt};
  for (const auto* templates : {&side.templates, &recipe.templates})
    for (const auto& [name, value] : *templates) command.environment[name] = neutralise::fill(value, values);
  for (const std::string& name : recipe.unset) command.environment.erase(name);
  for (const auto& [name, value] : recipe.environment) command.environment[name] = value;
  if (perturb) set_perturbation(*perturb, request.perturbed, values, command.environment);
  if (!side.settings->devices.visible_variable.empty() && !slot.visible.empty())
    command.environment[side.settings->devices.visible_variable] = slot.visible;
  command.environment["BISECTD_ATTEMPT"] = command.tag;
  command.environment["BISECTD_ATTEMPT_FOLDER"] = request.folder.string();
  command.environment["BISECTD_METRICS_FILE"] = metrics_file(request.folder).string();
  return command;
}

void write_recipe_files(const std::filesystem::path& folder, const neutralise::Recipe& recipe) {
  for (const neutralise::RecipeFile& file : recipe.files) keep::write_file(folder / file.name, file.content);
}

std::filesystem::path command_file(const std::filesystem::path& folder) { return folder / "command.sh"; }

void write_attempt_files(const std::filesystem::path& folder, const LaunchCommand& command) {
  keep::write_file(folder / "environment.txt", environment_text(command.environment));
  keep::write_file(command_file(folder), "#!/bin/sh\n# Starts this attempt again by hand, as bisectd started it.\n" + shell_text(command));
  std::filesystem::permissions(command_file(folder), std::filesystem::perms::owner_exec | std::filesystem::perms::group_exec,
                               std::filesystem::perm_options::add);
}

}  // namespace bisectd::driver
