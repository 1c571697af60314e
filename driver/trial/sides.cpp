#include "driver/trial/sides.hpp"

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <span>

#include "configs/consistency.hpp"
#include "configs/loader.hpp"
#include "configs/printable.hpp"
#include "configs/suggest.hpp"
#include "driver/launch/executable.hpp"
#include "driver/launch/job_script.hpp"
#include "driver/launch/run_to_end.hpp"
#include "driver/launch/queue.hpp"
#include "driver/launch/shell_environment.hpp"
#include "driver/launch/slurm.hpp"
#include "driver/log/log.hpp"
#include "driver/neutralise/placeholders.hpp"
#include "driver/read/line.hpp"
#include "driver/trial/inherited_settings.hpp"
#include "driver/trial/script_settings.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTestAtMost{60};
constexpr std::size_t kShownOfTest_bytes = 400;

[[noreturn]] void refuse(const configs::Place& place, std::string message, std::string hint) {
  throw configs::ConfigError({{place, std::move(message), std::move(hint)}});
}

/// Asks whether a job like those of the night would be accepted.
std::shared_ptr<const launch::Scheduler> submitted_to(const configs::SlurmJobs& jobs, const LaunchSide& side,
                                                      launch::Launcher& launcher, const fs::path& folder,
                                                      const std::string& tag) {
  auto slurm = std::make_shared<launch::Slurm>(jobs);
  fs::create_directories(folder);
  const launch::Job trial{.command = {"true"},
                          .directory = side.directory,
                          .stdout_file = folder / "test.stdout.log",
                          .stderr_file = folder / "test.stderr.log"};
  const fs::path script = launch::write_job_script(trial, *slurm, {});
  const launch::Job test{.command = slurm->submit("bisectd-test", folder, script, true),
                         .environment = launch::scheduler_environment(),
                         .directory = folder,
                         .stdout_file = trial.stdout_file,
                         .stderr_file = trial.stderr_file,
                         .tag = tag};
  if (const auto well = launch::run_well(launcher, test, kTestAtMost); !well) {
    const std::string said = read::for_display(launch::failure_printed_in(test.stderr_file), kShownOfTest_bytes);
    refuse(jobs.place,
           fmt::format("{} would not take a job like this: {}", slurm->name(), said.empty() ? well.error() : said),
           "`sbatch --test-only` says so; `launch.slurm.arguments` are further options of sbatch");
  }
  return slurm;
}

LaunchSide prepare(const configs::Side& settings, const fs::path& experiment_folder, launch::Launcher& launcher,
                   const fs::path& folder, const std::string& tag) {
  LaunchSide side;
  side.settings = &settings;
  side.directory = settings.directory ? fs::absolute(settings.directory->value) : experiment_folder;
  if (!fs::is_directory(side.directory))
    refuse(settings.directory ? settings.directory->place : settings.place,
           fmt::format("the folder {} does not exist", side.directory.string()), "");
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
  for (const auto& [name, value] : settings.environment) side.environment[name] = side.templates[name] = value.value;
  side.pool = std::make_unique<launch::DevicePool>(settings);
  if (settings.slurm) side.scheduler = submitted_to(*settings.slurm, side, launcher, folder, tag);
  return side;
}

/// A value that is put into a template, where braces are doubled.
std::string doubled_braces(std::string value) {
  boost::replace_all(value, "{", "{{");
  return boost::replace_all_copy(value, "}", "}}");
}

void set_for_family(LaunchSide& side, const std::string& variable, const std::string& value) {
  side.templates[variable] = family_variable(side, variable, value);
  side.environment[variable] = neutralise::filled(side.templates[variable], {{"attempt", "{attempt}"}});
}

/// What was inherited or came from `setup` in a variable that a family writes anew would be lost without a word; the
/// subject's own environment was checked when the experiment was loaded.
void refuse_overwriting(const configs::Experiment& experiment, const LaunchSide& subject) {
  const auto check = [&](const configs::Delivery& deliver, const configs::Place& place) {
    if (configs::is_written_anew(deliver) && subject.environment.contains(*deliver.environment))
      refuse(place, fmt::format("{} is set in the environment, and what it says would be lost", *deliver.environment),
             "unset it, or list it under `subject.unset` if it is not needed");
  };
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    if (family.kind != configs::FamilyKind::toggle) check(family.deliver, selection.place);
    for (const auto& [switch_name, toggle] : family.toggles) check(toggle.deliver, selection.place);
  }
}

bool is_interpreter(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  const bool python = name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string::npos;
  return python || name == "bash" || name == "sh";
}

/// The script that an interpreter is given is needed like a program. Of other programs nobody knows whether they start it
/// here, so that is a warning.
void check_script(const LaunchSide& side) {
  const auto& command = side.settings->command;
  bool sure = is_interpreter(command.front().value);
  for (const auto& word : std::span(command).subspan(1)) {
    const bool option = word.value.starts_with('-');
    const bool letters = option && !word.value.starts_with("--");
    if (letters && word.value.find_first_of("cm") != std::string::npos) return;      // -c, -lc, -um: what follows is no file
    if (!option && word.value.find_first_of("{ \t\n") != std::string::npos) return;  // made for the attempt; a line of shell
    const bool script = word.value.ends_with(".py") || word.value.ends_with(".sh");
    if (!script || option || word.value.find('=') != std::string::npos) {
      sure = sure && option;  // `python FOLDER --config x.py`: the first word is the script
      continue;
    }
    std::error_code unreadable;
    const fs::path file = side.directory / word.value;
    if (fs::exists(file, unreadable)) return;
    const auto near = configs::nearest_in_folder(file);
    const std::string message = fmt::format("there is no {} in {}, where this command is started",
                                            configs::in_quotes(word.value), side.directory.string());
    const std::string hint =
        near ? fmt::format("did you mean `{}`?", (fs::path(word.value).parent_path() / *near).string())
             : "`directory` of a side says where it is started; without it, where the experiment file is";
    if (sure) refuse(word.place, message, hint);
    log::warning(configs::render(configs::Placed<std::string>{fmt::format("{}; {}", message, hint), word.place}));
    return;
  }
}

void check_command(const LaunchSide& side) {
  if (side.settings->command.empty()) return;  // a recorded reference
  if (side.scheduler) return;                  // its node may have what this machine has not
  const configs::Placed<std::string>& program = side.settings->command.front();
  if (const auto found = launch::find_executable(program.value, side.environment, side.directory); !found)
    refuse(program.place, found.error(), "");
  check_script(side);
}

}  // namespace

Sides prepare_sides(const configs::Experiment& experiment, launch::Launcher& launcher, const fs::path& run_folder,
                    const std::string& run_tag) {
  const fs::path folder = fs::absolute(experiment.file).parent_path();
  Sides sides{prepare(experiment.reference, folder, launcher, run_folder / "setup-reference", run_tag + "/setup"),
              prepare(experiment.subject, folder, launcher, run_folder / "setup-subject", run_tag + "/setup")};
  for (LaunchSide* side : {&sides.reference, &sides.subject})
    if (side->settings->perturb)
      for (const auto& [variable, value] : side->settings->perturb->needs) set_for_family(*side, variable, value);
  for (LaunchSide* side : {&sides.reference, &sides.subject})
    for (const auto& [variable, value] : experiment.hold.environment) set_for_family(*side, variable, value);
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    for (const auto& [variable, value] : family.environment) set_for_family(sides.subject, variable, value);
    if (!family.effect) continue;
    for (const auto& [variable, value] : family.effect->environment)
      if (!configs::instead_of(value, variable, experiment.subject)) set_for_family(sides.subject, variable, value);
  }
  refuse_overwriting(experiment, sides.subject);
  sides.subject.inherited = inherited_settings(experiment, sides.subject.environment);
  check_command(sides.reference);
  check_command(sides.subject);
  return sides;
}

std::string family_variable(const LaunchSide& side, const std::string& variable, std::string value) {
  constexpr std::string_view kInherited = "{and_inherited}";
  boost::replace_all(value, "{presets}", doubled_braces((configs::data_folder() / "presets").string()));
  const auto before = side.environment.find(variable);
  std::string inherited =
      before == side.environment.end() || before->second.empty() ? "" : ":" + doubled_braces(before->second);
  // Another family, or the perturbation, has put the same in front already.
  if (value.ends_with(kInherited)) {
    const std::string own = ":" + value.substr(0, value.size() - kInherited.size());
    if (inherited == own || inherited.starts_with(own + ":")) inherited.erase(0, own.size());
  }
  boost::replace_all(value, kInherited, inherited);
  return value;
}

void settle_toggles(configs::Experiment& experiment, const neutralise::Environment& environment) {
  for (auto& [name, family] : experiment.families)
    for (auto& [switch_name, toggle] : family.toggles) toggle.suspect = configs::settled_suspect(toggle, environment);
}

std::vector<configs::Placed<std::string>> settle_suspects(configs::Experiment& experiment, const LaunchSide& subject) {
  settle_toggles(experiment, subject.environment);
  auto warnings = note_overwritten(experiment, subject);
  if (auto warning = warning_of_inherited(experiment, subject.inherited)) warnings.push_back(std::move(*warning));
  experiment.warnings.insert(experiment.warnings.end(), warnings.begin(), warnings.end());
  return warnings;
}

}  // namespace bisectd::driver
