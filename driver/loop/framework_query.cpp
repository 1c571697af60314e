#include "driver/loop/framework_query.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>

#include "configs/loader.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"
#include "driver/checks/python_of.hpp"
#include "driver/launch/run_to_end.hpp"
#include "driver/loop/problem.hpp"
#include "driver/neutralise/placeholders.hpp"
#include "driver/neutralise/recipe.hpp"

namespace bisectd::driver {
namespace {

namespace fs = std::filesystem;

/// A framework's import alone can take a minute from a shared disk.
constexpr std::chrono::minutes kTimeout{10};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

launch::Job job_of(const configs::Family& family, const LaunchSide& subject, const fs::path& folder) {
  launch::Job job{.environment = subject.environment,
                  .directory = subject.directory,
                  .stdout_file = folder / (family.name + ".stdout.log"),
                  .stderr_file = folder / (family.name + ".stderr.log")};
  const std::string python = python_of(*subject.settings), presets = (configs::data_folder() / "presets").string();
  const std::string& kind = subject.settings->devices.kind;
  for (const auto& element : family.discover->command)
    job.command.push_back(neutralise::filled(element.value, {{"python", python}, {"presets", presets}, {"kind", kind}}));
  for (const auto& [variable, value] : family.discover->environment)
    job.environment[variable] = neutralise::fill(family_variable(subject, variable, value), {.attempt = folder.string()});
  return job;
}

std::vector<std::string> names_in(const fs::path& file, const configs::Family& family) {
  std::ifstream lines(file, std::ios::binary);
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    // As Windows and some wrappers write text.
    if (names.empty() && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.ends_with('\r')) line.pop_back();
    if (const std::string fault = configs::spelling_fault(line, family); !fault.empty())
      throw std::runtime_error(
          fmt::format("it printed {}, which is no name of a member: it {}", configs::in_quotes(line), fault));
    const auto written = family.written_name.find(line);
    names.insert(written == family.written_name.end() ? line : written->second);
    if (names.size() > configs::kMostMembers)
      throw std::runtime_error(fmt::format("it printed more than {} names", configs::kMostMembers));
  }
  if (names.empty()) throw std::runtime_error("it printed no name");
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> queried_families(const configs::Experiment& experiment) {
  std::vector<std::string> names = discovered_families(experiment);
  std::erase_if(names, [&](const std::string& name) { return !experiment.families.at(name).discover->asks_framework(); });
  return names;
}

neutralise::Discovered ask_framework(const configs::Experiment& experiment, const LaunchSide& subject,
                                     launch::Launcher& launcher, const fs::path& folder, const std::string& run_tag) {
  neutralise::Discovered found;
  for (const std::string& name : queried_families(experiment)) {
    const configs::Family& family = experiment.families.at(name);
    fs::create_directories(folder);
    launch::Job job = job_of(family, subject, folder);
    job.tag = run_tag + "/query";
    const auto refuse = [&](const std::string& why, const fs::path& file) {
      throw std::runtime_error(
          fmt::format("the command that should name the members of family {} ({}) gives none: {} (see {})", name,
                      job.command.front(), why, file.string()));
    };
    if (const auto well = launch::run_well(launcher, job, kTimeout); !well) refuse(well.error(), job.stderr_file);
    try {
      found[name] = names_in(job.stdout_file, family);
    } catch (const std::runtime_error& error) {
      refuse(error.what(), job.stdout_file);
    }
  }
  return found;
}

}  // namespace bisectd::driver
