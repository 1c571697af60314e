// A run seen from outside: its record, rebuilt from journal and logs. Launches nothing, locks nothing, writes nothing,
// so that it can look at a run that another bisectd drives.
#pragma once

#include "driver/loop/run_record.hpp"

namespace bisectd::driver {

/// `experiment` must be the one the run was begun with. `driven`: another bisectd is at work on it; else what is open in
/// the journal was interrupted and does not run. Errors: configs::ConfigError for a recorded reference that is gone.
reports::Record replay(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& history,
                       bool driven, Detail detail);

/// The same without the experiment, because it has changed or is gone: trials and verdicts only, no curve, no answer.
reports::Record replay_without_experiment(const keep::RunDirectory& directory, const History& history, bool driven);

/// The whole curves that trials of this role logged, as far as their attempts ended in a way that lets them be judged.
std::vector<judge::Curve> whole_curves(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                                       const History& history, Role role);

/// One sentence, if one of these logs has lost values since (a power cut, a full disk): whole_curves() takes what is left.
std::optional<std::string> cut_log(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                                   const History& history, Role role);

}  // namespace bisectd::driver
