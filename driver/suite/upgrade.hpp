// Whether the software that a model runs with is still the one of its last result. Launches what finds versions, no
// training.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "configs/experiment.hpp"

namespace bisectd::driver::suite {

struct Upgrade {
  std::string changes;  ///< "cann 8.3 -> 8.4, paddle not known -> 3.3.1"; empty if nothing changed, as far as it can be seen
  std::string unseen;   ///< why there may be a change that cannot be seen; empty if all is known
};

/// As far as the experiment says where its versions are. `folder` keeps the logs of what was started for it.
Upgrade upgrade_since(const std::map<std::string, std::string>& then, const configs::Experiment& experiment,
                      const std::filesystem::path& folder, const std::string& tag);

}  // namespace bisectd::driver::suite
