// What one attempt is started with, and the files that let a person start it again: command.sh, environment.txt.
// Starts nothing.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "driver/launch/device_pool.hpp"
#include "driver/neutralise/recipe.hpp"

namespace bisectd::driver {

struct AttemptRequest;

/// How the attempt ended, in words.
inline std::filesystem::path ending_file(const std::filesystem::path& folder) { return folder / "ended.txt"; }
inline std::filesystem::path stdout_file(const std::filesystem::path& folder) { return folder / "stdout.log"; }
/// Where a training that cooperates writes its metrics, named to it in BISECTD_METRICS_FILE.
inline std::filesystem::path metrics_file(const std::filesystem::path& folder) { return folder / "metrics.jsonl"; }
inline std::filesystem::path stderr_file(const std::filesystem::path& folder) { return folder / "stderr.log"; }

struct LaunchCommand {
  std::vector<std::string> argv;
  neutralise::Environment environment;  ///< whole
  std::filesystem::path directory;
  std::string tag;                 ///< BISECTD_ATTEMPT
  std::filesystem::path folder;    ///< the attempt's own
  std::vector<std::string> files;  ///< names of those in it that the recipe is delivered by
  std::set<std::string> settled;   ///< variables that the experiment or a suspect settles, set or not
};

/// The command of a request on a slot. `run_tag` makes the tag unique among all runs on the machine.
LaunchCommand launch_command(const AttemptRequest& request, const launch::Slot& slot, const std::string& run_tag);

/// The command for sh: what is settled and what else differs from the environment bisectd runs in, the folder, then the
/// command. Secrets are not in it: whoever runs it sets them, and is told which.
std::string shell_text(const LaunchCommand& attempt);

/// Where the training of this side logs in an attempt's folder.
std::vector<std::filesystem::path> log_files(const configs::Side& side, const std::filesystem::path& folder);

std::filesystem::path command_file(const std::filesystem::path& folder);

/// Writes command_file (rerun_script) and environment.txt (all of it), for their owner alone. Secrets are in neither.
void write_attempt_files(const std::filesystem::path& folder, const LaunchCommand& command);

/// Writes the files that the recipe is delivered by; `folder` exists.
void write_recipe_files(const std::filesystem::path& folder, const neutralise::Recipe& recipe);

}  // namespace bisectd::driver
