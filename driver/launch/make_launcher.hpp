// The launcher that an experiment needs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "configs/experiment.hpp"
#include "driver/launch/launcher.hpp"

namespace bisectd::driver::launch {

/// Starts on this machine what says nothing else, and submits the attempts of sides that do. `folder` keeps what a scheduler
/// printed last; `say` tells people what they should know of it.
std::unique_ptr<Launcher> make_launcher(const configs::Experiment& experiment, const std::filesystem::path& folder,
                                        std::function<void(const std::string&)> say);

}  // namespace bisectd::driver::launch
