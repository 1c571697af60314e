// What the curves of a few runs show of the night to come. Pure: curves in, lines out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"

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

/// Curves as samples (samples.hpp), the one without a perturbation first, as a search would judge them.
PilotFindings pilot_findings(const configs::Experiment& experiment, std::span<const judge::Curve> references,
                             std::span<const judge::Curve> subject);

}  // namespace bisectd::driver
