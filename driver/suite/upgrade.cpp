#include "driver/suite/upgrade.hpp"

#include <fmt/format.h>

#include <vector>

#include "configs/loader.hpp"
#include "driver/checks/versions.hpp"
#include "driver/launch/local.hpp"
#include "driver/trial/sides.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::suite {
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
