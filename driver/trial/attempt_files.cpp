#include "driver/trial/attempt_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "configs/secret.hpp"
#include "configs/shell_word.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/launch/job_script.hpp"
#include "driver/launch/strays.hpp"
#include "driver/trial/attempts.hpp"
#include "driver/trial/inherited_settings.hpp"

namespace bisectd::driver {
namespace {

using configs::shell_quoted;

std::string environment_text(const neutralise::Environment& environment) {
  std::string text;
  for (const auto& [name, value] : environment) text += fmt::format("{}={}\n", name, configs::without_secrets(name, value));
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

/// Whether sh can have a variable of this name. Functions that bash exported are none: BASH_FUNC_module%%.
bool is_shell_variable(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto may_stand = [&](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; };
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, may_stand);
}

/// What a person sets before the command, and what it is set by.
std::string demand(const std::string& variable, const std::string& what) {
  return fmt::format(": \"${{{}:?set it to {}, secrets are not written here}}\"\n", variable, what);
}

/// Writes a command for sh; a folder in it can stand as a variable.
class ShellWriter {
 public:
  ShellWriter(const LaunchCommand& command, std::string folder_variable)
      : command_(command), folder_variable_(std::move(folder_variable)) {}

  /// Variables that a person has to set; they come first, so that nothing is made without them.
  std::string demands() {
    std::string text;
    for (const auto& [name, value] : command_.environment)
      if (is_shell_variable(name) && !is_inherited(name, value) && hides(name, value)) text += demand(name, "its value");
    for (std::size_t i = 0; i < command_.argv.size(); ++i)
      if (const auto begin = configs::secret_begin(i > 0 ? command_.argv[i - 1] : "", command_.argv[i])) {
        const std::string variable = fmt::format("BISECTD_SECRET_{}", hidden_.size() + 1),
                          known = command_.argv[i].substr(0, *begin);
        text += demand(variable, fmt::format("argument {} of the command{}", i, known.empty() ? "" : ", behind " + known));
        hidden_[i] = (known.empty() ? "" : quoted(known)) + "\"$" + variable + "\"";
      }
    return text;
  }

  std::string environment(const std::string& tag) const {
    std::string text;
    std::set<std::string> known = command_.settled;
    for (const auto& [name, value] : inherited_) known.insert(name);
    for (const std::string& name : known)
      if (is_shell_variable(name) && !command_.environment.contains(name)) text += fmt::format("unset {}\n", name);
    for (const auto& [name, value] : command_.environment) {
      if (!is_shell_variable(name) || is_inherited(name, value)) continue;
      if (hides(name, value)) text += fmt::format("export {}\n", name);
      else text += fmt::format("export {}={}\n", name, quoted(name == launch::kAttemptVariable ? tag : value));
    }
    return text;
  }

  std::string start() const {
    std::string text = fmt::format("cd {} || exit\nexec", quoted(command_.directory.string()));
    for (std::size_t i = 0; i < command_.argv.size(); ++i) {
      const auto hidden = hidden_.find(i);
      text += " " + (hidden == hidden_.end() ? quoted(command_.argv[i]) : hidden->second);
    }
    return text + "\n";
  }

 private:
  static bool hides(const std::string& name, const std::string& value) {
    return configs::is_secret(name) || configs::holds_password(value);
  }

  /// Whoever runs this has it too, one may expect; what is settled may differ in another shell.
  bool is_inherited(const std::string& name, const std::string& value) const {
    if (command_.settled.contains(name)) return false;
    const auto same = inherited_.find(name);
    return same != inherited_.end() && same->second == value;
  }

  std::string quoted(const std::string& word) const {
    const std::string folder = command_.folder.string();
    if (folder_variable_.empty() || folder.empty()) return shell_quoted(word);
    std::string text;
    std::size_t at = 0;
    for (std::size_t found; (found = word.find(folder, at)) != std::string::npos; at = found + folder.size()) {
      if (found > at) text += shell_quoted(word.substr(at, found - at));
      text += folder_variable_;
    }
    return at == 0 ? shell_quoted(word) : at == word.size() ? text : text + shell_quoted(word.substr(at));
  }

  const LaunchCommand& command_;
  std::string folder_variable_;
  const neutralise::Environment inherited_ = inherited_environment();
  std::map<std::size_t, std::string> hidden_;  ///< arguments that hold secrets, as they are written
};

std::set<std::string> settled_variables(const LaunchSide& side, const neutralise::Recipe& recipe) {
  std::set<std::string> names(recipe.unset.begin(), recipe.unset.end());
  names.insert(side.settings->unset.begin(), side.settings->unset.end());
  for (const auto* settings : {&side.templates, &side.inherited, &recipe.templates, &recipe.environment})
    for (const auto& [name, value] : *settings) names.insert(name);
  if (const auto& perturb = side.settings->perturb) {
    if (perturb->environment) names.insert(*perturb->environment);
    for (const auto& switches : perturb->switches)
      for (const auto& [name, value] : switches) names.insert(name);
  }
  return names;
}

/// By hand there is no job: the devices that only its node would know are the first ones.
LaunchCommand on_first_devices(LaunchCommand command) {
  const auto place = [](std::string& text) {
    for (int n = 0; text.find(launch::device_of_job(n)) != std::string::npos; ++n)
      boost::replace_all(text, launch::device_of_job(n), std::to_string(n));
  };
  std::ranges::for_each(command.argv, place);
  for (auto& [name, value] : command.environment) place(value);
  return command;
}

/// {config:FILE}, and {config} of an only one.
std::map<std::string, std::string> config_paths(const configs::Side& side, const std::filesystem::path& folder) {
  std::map<std::string, std::string> paths;
  for (const configs::TrainingConfig& config : side.configs) {
    const std::string path = (folder / config.name).string();
    paths["config:" + config.file] = path;
    if (side.configs.size() == 1) paths["config"] = path;
  }
  return paths;
}

/// What a shim compares with what the training has: a launch script or the training may set a variable once more.
std::string settings_text(const neutralise::Recipe& recipe) {
  nlohmann::json settings;
  for (const std::string& name : recipe.settings) {
    const auto set = recipe.environment.find(name);
    settings[name] = set == recipe.environment.end() ? nlohmann::json() : nlohmann::json(set->second);
  }
  return settings.dump();
}

/// As a script that starts the attempt again by hand, with a new folder and a tag of its own: the attempt's files are
/// evidence, and `resume` ends what has its tag.
std::string rerun_script(const LaunchCommand& attempt) {
  const LaunchCommand command = on_first_devices(attempt);
  ShellWriter write(command, "\"$bisectd_folder\"");
  std::string text =
      "#!/bin/sh\n# Starts this attempt again by hand, as bisectd started it, but with a folder of its own: this one is "
      "evidence.\n";
  text += write.demands();
  text += "bisectd_folder=$(mktemp -d \"$PWD/by-hand.XXXXXX\" 2>/dev/null || mktemp -d) || exit\n";
  for (const std::string& file : command.files)
    text += fmt::format("cp -- {} \"$bisectd_folder\" || exit\n", shell_quoted((command.folder / file).string()));
  // Its last part stays: a training may draw its seed from it.
  return text + write.environment("by-hand/" + command.tag.substr(command.tag.rfind('/') + 1)) + write.start();
}

}  // namespace

std::string shell_text(const LaunchCommand& attempt) {
  const LaunchCommand command = on_first_devices(attempt);
  ShellWriter write(command, "");
  const std::string demands = write.demands();
  return demands + write.environment(command.tag) + write.start();
}

LaunchCommand launch_command(const AttemptRequest& request, const launch::Slot& slot, const std::string& run_tag) {
  const LaunchSide& side = *request.side;
  const neutralise::Recipe recipe = neutralise::placed_in(request.folder, request.recipe);
  const std::string attempt = fmt::format("{:04}-{}", request.trial, request.number);
  neutralise::Placeholders values{.devices = slot.devices,
                                  .visible_devices = slot.visible,
                                  .steps = request.steps ? std::to_string(*request.steps) : "",
                                  .attempt = request.folder.string(),
                                  .configs = config_paths(*side.settings, request.folder),
                                  .seed = std::to_string(request.perturbed)};
  for (const neutralise::Argument& argument : recipe.arguments)
    values.arguments.insert(values.arguments.end(), argument.begin(), argument.end());
  const auto& perturb = side.settings->perturb;
  if (perturb && perturb->argument && request.perturbed)
    values.arguments.push_back(neutralise::fill(perturb->argument->value, values));
  LaunchCommand command{.argv = neutralise::fill_command(side.settings->command, values),
                        .environment = side.environment,
                        .directory = side.directory,
                        .tag = run_tag + "/" + attempt,
                        .folder = request.folder};
  for (const neutralise::RecipeFile& file : recipe.files) command.files.push_back(file.name);
  command.settled = settled_variables(side, recipe);
  for (const auto* templates : {&side.templates, &recipe.templates})
    for (const auto& [name, value] : *templates) command.environment[name] = neutralise::fill(value, values);
  for (const std::string& name : recipe.unset) command.environment.erase(name);
  for (const auto& [name, value] : recipe.environment) command.environment[name] = value;
  if (perturb) set_perturbation(*perturb, request.perturbed, values, command.environment);
  if (side.scheduler) command.environment.erase(side.settings->devices.visible_variable);  // the job has its own
  if (!side.scheduler && !side.settings->devices.visible_variable.empty() && !slot.visible.empty())
    command.environment[side.settings->devices.visible_variable] = slot.visible;
  // A job that an earlier bisectd submitted is no stray, wherever it runs.
  command.environment["BISECTD_ATTEMPT"] = side.scheduler ? "job:" + command.tag : command.tag;
  command.environment["BISECTD_ATTEMPT_FOLDER"] = request.folder.string();
  if (!recipe.settings.empty()) command.environment["BISECTD_SETTINGS"] = settings_text(recipe);
  command.environment["BISECTD_METRICS_FILE"] = metrics_file(request.folder).string();
  return command;
}

void write_recipe_files(const std::filesystem::path& folder, const neutralise::Recipe& recipe) {
  for (const neutralise::RecipeFile& file : recipe.files) keep::write_file(folder / file.name, file.content);
}

std::vector<std::filesystem::path> log_files(const configs::Side& side, const std::filesystem::path& folder) {
  if (side.log) return {folder / *side.log};
  return {stdout_file(folder), stderr_file(folder)};
}

std::filesystem::path command_file(const std::filesystem::path& folder) { return folder / "command.sh"; }

void write_attempt_files(const std::filesystem::path& folder, const LaunchCommand& command) {
  keep::write_private_file(folder / "environment.txt", environment_text(command.environment));
  keep::write_private_file(command_file(folder), rerun_script(command));
  std::filesystem::permissions(command_file(folder), std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
}

}  // namespace bisectd::driver
