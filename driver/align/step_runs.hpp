// Gets the sides to write down one training step each. Launches; knows nothing of what is written.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/launch/launcher.hpp"
#include "driver/trial/attempts.hpp"

namespace bisectd::driver::align {

struct StepRun {
  LaunchSide* side = nullptr;
  std::string name;              ///< of the side, for messages
  int perturbed = 0;             ///< seed of its perturbation; 0: none
  std::filesystem::path folder;  ///< of its first attempt; once it ended, of its last one
  std::filesystem::path file;    ///< what it wrote; empty: nothing, and `why` says why
  std::string why;
};

/// One run as it is, then two that show what rounding does: moved by seeds, or by harmless settings, of which there may be
/// but one; none where the side has no perturbation.
std::vector<int> perturbations_of(const configs::Side& side);

/// Runs all of them, as far as devices are free at once, each until its step is written; what is lost is started
/// again. Nothing is neutralised. Throws Interrupted.
void run_steps(const configs::Experiment& experiment, launch::Launcher& launcher, const std::string& run_tag,
               std::vector<StepRun>& runs, const std::function<void(const StepRun&)>& ended);

}  // namespace bisectd::driver::align
