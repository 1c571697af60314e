// A few runs of both sides, to see before a night is spent whether an experiment works, up to where its runs are comparable,
// whether the subject as it is fails there, how short a run shows it, and whether both logs agree in what they must.
// Searches nothing.
#pragma once

#include <filesystem>
#include <vector>

#include "driver/loop/pilot_findings.hpp"
#include "driver/loop/progress.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {

struct Pilot {
  std::vector<PilotLine> lines;
  int signal_number = 0;  ///< that ended it
  bool unequal = false;   ///< a check found in the logs that the sides train different things
};

/// Runs the reference (unless it is recorded) and the subject with nothing neutralised, both at once: where repeats are
/// perturbed as often as it takes to know how far healthy runs are apart, else once. Leaves their logs in `folder`.
Pilot run_pilot(const configs::Experiment& experiment, Sides& sides, launch::Launcher& launcher,
                const std::filesystem::path& folder, Progress& progress);

}  // namespace bisectd::driver
