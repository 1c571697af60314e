// A few runs of both sides, to see before a night is spent whether an experiment works, up to where its runs are comparable,
// whether the subject as it is fails there, how short a run shows it, and whether both logs agree in what they must.
// Searches nothing.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "driver/judge/curve.hpp"
#include "driver/loop/progress.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {

struct PilotLine {
  enum class Mark { ok, warning, error };  ///< error: the experiment would not work
  Mark mark = Mark::ok;
  std::string text;
};

struct PilotFindings {
  std::vector<PilotLine> lines;
  bool usable = false;        ///< else the reference gives nothing to compare with
  bool spread_known = false;  ///< the runs show what rounding grows to, or that they vary by themselves
};

/// What the curves of a few runs show of the night to come; pure. Curves as samples (samples.hpp), the one without a
/// perturbation first, as a search would judge them.
PilotFindings pilot_findings(const configs::Experiment& experiment, std::span<const judge::Curve> references,
                             std::span<const judge::Curve> subject);

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
