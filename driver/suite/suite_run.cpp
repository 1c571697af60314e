#include "driver/suite/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "configs/loader.hpp"
#include "driver/checks/versions.hpp"
#include "driver/launch/local.hpp"
#include "driver/trial/inherited_settings.hpp"
#include "driver/trial/sides.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::suite {

namespace {

constexpr std::chrono::milliseconds kLookEvery{1000};
/// A bisectd that is asked to end ends its own trainings first.
constexpr std::chrono::seconds kGrace{60};
constexpr std::chrono::seconds kStopAtMost = 2 * kGrace;  // a process that hangs in the kernel ends by no signal

bool clash(const Model& a, const Model& b) {
  return std::ranges::any_of(a.devices, [&](const std::string& device) { return b.devices.contains(device); });
}

class SuiteRun {
 public:
  SuiteRun(std::vector<Model> models, launch::Launcher& launcher, const std::string& tag, const SuiteHooks& hooks)
      : waiting_(std::move(models)), launcher_(launcher), tag_(tag), hooks_(hooks) {}

  SuiteEnd operator()() {
    while (!waiting_.empty() || !running_.empty()) {
      if (launcher_.signal_number() != 0) return stop_all(SuiteEnd::signal);
      if (hooks_.out_of_time()) return stop_all(SuiteEnd::out_of_time);
      start_what_can_start();
      for (const launch::Ended& ended : launcher_.wait(kLookEvery)) take_in(ended);
    }
    return SuiteEnd::done;
  }

 private:
  void start_what_can_start() {
    for (auto model = waiting_.begin(); model != waiting_.end();) {
      if (std::ranges::any_of(running_, [&](const auto& entry) { return clash(entry.second, *model); })) {
        ++model;
        continue;
      }
      start(std::move(*model));
      model = waiting_.erase(model);
    }
  }

  void start(Model model) {
    std::filesystem::create_directories(model.folder);
    launch::Job job{.id = next_id_++,
                    .command = model.command,
                    .environment = inherited_environment(),
                    .directory = std::filesystem::current_path(),
                    .stdout_file = model.folder / "stdout.log",
                    .stderr_file = model.folder / "stderr.log",
                    .tag = tag_ + "/" + model.name,
                    .grace = kGrace};
    hooks_.started(model);
    launcher_.start(job);
    running_.emplace(job.id, std::move(model));
  }

  void take_in(const launch::Ended& ended) {
    const auto found = running_.find(ended.id);
    if (found == running_.end()) return;
    const Model model = std::move(found->second);
    running_.erase(found);
    if (!ended.stopped) hooks_.ended(model, ended);
  }

  SuiteEnd stop_all(SuiteEnd why) {
    for (const auto& [id, model] : running_) launcher_.stop(id);
    for (const auto until = launcher_.now() + kStopAtMost; !running_.empty() && launcher_.now() < until;)
      for (const launch::Ended& ended : launcher_.wait(kLookEvery)) take_in(ended);
    for (const auto& [id, model] : running_) hooks_.left(model);
    return why;
  }

  std::vector<Model> waiting_;
  std::map<launch::JobId, Model> running_;
  launch::Launcher& launcher_;
  const std::string& tag_;
  const SuiteHooks& hooks_;
  launch::JobId next_id_ = 1;
};

}  // namespace

SuiteEnd run_models(std::vector<Model> models, launch::Launcher& launcher, const std::string& tag, const SuiteHooks& hooks) {
  return SuiteRun(std::move(models), launcher, tag, hooks)();
}

namespace {

std::string version_in(const std::map<std::string, std::string>& versions, const std::string& what) {
  const auto found = versions.find(what);
  return found == versions.end() ? "not known" : reports::plain(found->second);
}

}  // namespace

Upgrade upgrade_since(const std::map<std::string, std::string>& then, const configs::Experiment& experiment,
                      const std::filesystem::path& folder, const std::string& tag) {
  if (experiment.versions.empty()) return {.unseen = "its experiment has no `versions`"};
  Versions now;
  try {
    launch::LocalLauncher launcher;
    const Sides sides = prepare_sides(experiment, launcher, folder, tag);
    now = find_versions(experiment, sides.subject, launcher, folder, tag);
  } catch (const configs::ConfigError&) {
    return {.changes = "its setup or a command of it does not work any more"};  // which one its own bisectd will say
  }
  std::vector<std::string> changes;
  for (const auto& [what, source] : experiment.versions)
    if (const std::string before = version_in(then, what), today = version_in(now.found, what); before != today)
      changes.push_back(fmt::format("{} {} -> {}", what, before, today));
  Upgrade upgrade{.changes = fmt::format("{}", fmt::join(changes, ", "))};
  if (!now.unknown.empty()) upgrade.unseen = fmt::format("no version of {} can be found", fmt::join(now.unknown, ", "));
  else if (now.found.empty()) upgrade.unseen = "none of its `versions` is installed";
  return upgrade;
}

}  // namespace bisectd::driver::suite
