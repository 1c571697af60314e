// Runs the experiments of a suite, each in a bisectd of its own; two at once only if they share no device; and what an
// upgrade changed. Knows neither trials nor reports.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/launch/launcher.hpp"

namespace bisectd::driver::suite {

/// One experiment to run.
struct Model {
  std::string name;
  std::vector<std::string> command;  ///< argv of its bisectd
  std::set<std::string> devices;     ///< "npu 0", ...: what no other may use meanwhile
  std::filesystem::path folder;      ///< made here; gets stdout.log and stderr.log
};

/// How the run of the whole suite ended.
enum class SuiteEnd { done, signal, out_of_time };

struct SuiteHooks {
  std::function<void(const Model&)> started;
  std::function<void(const Model&, const launch::Ended&)> ended;  ///< by itself, not because it was stopped
  std::function<void(const Model&)> left;                         ///< it could not be ended, and may still run
  std::function<bool()> out_of_time;                              ///< asked about once a second
};

/// Returns when all have ended, a signal arrived or time is up; then nothing runs any more but what could not be ended.
/// `tag` marks the processes.
SuiteEnd run_models(std::vector<Model> models, launch::Launcher& launcher, const std::string& tag, const SuiteHooks& hooks);

struct Upgrade {
  std::string changes;  ///< "cann 8.3 -> 8.4, paddle not known -> 3.3.1"; empty if nothing changed, as far as it can be seen
  std::string unseen;   ///< why there may be a change that cannot be seen; empty if all is known
};

/// As far as the experiment says where its versions are. `folder` keeps the logs of what was started for it.
Upgrade upgrade_since(const std::map<std::string, std::string>& then, const configs::Experiment& experiment,
                      const std::filesystem::path& folder, const std::string& tag);

}  // namespace bisectd::driver::suite
