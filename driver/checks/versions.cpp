#include "driver/checks/versions.hpp"

#include <chrono>
#include <optional>
#include <re2/re2.h>
#include <sstream>

#include "configs/file_bytes.hpp"
#include "driver/launch/run_to_end.hpp"
#include "driver/neutralise/placeholders.hpp"

namespace bisectd::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeout{60};
constexpr std::size_t kMostRead_bytes = 1 << 20;
constexpr std::size_t kLongestVersion_bytes = 200;

/// One line "NAME VERSION" per package that is installed. Asks the metadata: importing a framework takes seconds.
constexpr const char* kAskPackages = R"(
import sys
from importlib import metadata
for name in sys.argv[1:]:
    try:
        print(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        pass
)";

std::optional<std::string> version_in(const std::string& text, const std::optional<configs::Placed<std::string>>& pattern) {
  std::string version;
  const RE2 wanted(pattern ? "(?m)" + pattern->value : R"((?P<value>\S[^\r\n]*))", RE2::Quiet);
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(wanted.NumberOfCapturingGroups()) + 1);
  if (!wanted.ok() || !wanted.Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
    return std::nullopt;
  version = std::string(groups[static_cast<std::size_t>(wanted.NamedCapturingGroups().at("value"))]);
  version.resize(std::min(version.size(), kLongestVersion_bytes));
  return version.empty() ? std::nullopt : std::optional(version);
}

/// What a command prints.
class Asker {
 public:
  Asker(const LaunchSide& side, launch::Launcher& launcher, const fs::path& folder, const std::string& run_tag)
      : side_(side), launcher_(launcher), folder_(folder), run_tag_(run_tag) {}

  /// Nothing if it fails.
  std::optional<std::string> output_of(const std::string& name, std::vector<std::string> command) {
    fs::create_directories(folder_);
    const launch::Job job{.command = std::move(command),
                          .environment = side_.environment,
                          .directory = side_.directory,
                          .stdout_file = folder_ / (name + ".stdout.log"),
                          .stderr_file = folder_ / (name + ".stderr.log"),
                          .tag = run_tag_ + "/versions",
                          .grace = std::chrono::seconds{2}};
    if (!launch::run_well(launcher_, job, kTimeout)) return std::nullopt;
    return configs::bytes_in(job.stdout_file, kMostRead_bytes);
  }

 private:
  const LaunchSide& side_;
  launch::Launcher& launcher_;
  fs::path folder_;
  std::string run_tag_;
};

/// All packages with one start of Python; nothing if that fails.
std::optional<std::map<std::string, std::string>> packages(const configs::Experiment& experiment, const configs::Side& side,
                                                           Asker& asker) {
  std::vector<std::string> command{python_of(side), "-c", kAskPackages};
  for (const auto& [name, source] : experiment.versions)
    if (source.package) command.push_back(source.package->value);
  std::map<std::string, std::string> installed;
  if (command.size() == 3) return installed;
  const auto output = asker.output_of("packages", std::move(command));
  if (!output) return std::nullopt;
  std::istringstream lines(*output);
  for (std::string name, version; lines >> name >> version;) installed[name] = version;
  return installed;
}

}  // namespace

Versions find_versions(const configs::Experiment& experiment, const LaunchSide& side, launch::Launcher& launcher,
                       const fs::path& folder, const std::string& run_tag) {
  Asker asker(side, launcher, folder, run_tag);
  const auto installed = packages(experiment, *side.settings, asker);
  Versions versions;
  for (const auto& [name, source] : experiment.versions) {
    if (source.package) {
      if (!installed) versions.unknown.push_back(name);
      else if (const auto package = installed->find(source.package->value); package != installed->end())
        versions.found[name] = package->second;
      continue;
    }
    std::vector<std::string> command;
    for (const auto& word : source.command)
      command.push_back(neutralise::filled(word.value, {{"python", python_of(*side.settings)}}));
    const auto text = source.file ? std::optional(configs::bytes_in(source.file->value, kMostRead_bytes))
                                  : asker.output_of(name, std::move(command));
    if (const auto found = text ? version_in(*text, source.pattern) : std::nullopt) versions.found[name] = *found;
    else if (!text || !text->empty()) versions.unknown.push_back(name);
  }
  return versions;
}

}  // namespace bisectd::driver
