// The runs before a search, without it: does an experiment work, up to where are its runs comparable, does the subject as it
// is fail there, how short a run shows it, and do both logs agree in what they must. The search goes on from there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/judge/jury.hpp"
#include "driver/loop/run.hpp"

namespace bisectd::driver {

struct PilotLine {
  enum class Mark { ok, warning, error };  ///< error: the experiment would not work
  Mark mark = Mark::ok;
  std::string text;
};

/// What runs of both sides show of the night to come; pure. `jury`: once it has judged the subject as it is, whose whole
/// curves these are as samples (samples.hpp), not none.
std::vector<PilotLine> pilot_findings(const configs::Experiment& experiment, judge::Jury jury,
                                      std::span<const judge::Curve> subject, const judge::Judgement& judgement);

struct Pilot {
  std::vector<PilotLine> lines;
  bool unequal = false;  ///< a check found in the logs that the sides train different things
};

/// Runs the reference (unless it is recorded) and the subject with nothing neutralised, as a search begins. Throws
/// Interrupted.
Pilot run_pilot(Run& run);

}  // namespace bisectd::driver
