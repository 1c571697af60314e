// The record of a run, for people, derived from what the run knows: the one place that makes it, for a run under way, for
// one that is resumed, and for `status` and `report`, which look at it from outside. Nothing is decided by it.
#pragma once

#include "driver/keep/run_directory.hpp"
#include "driver/loop/run_state.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// How much of a run's files is read for its record.
enum class Detail {
  live,    ///< none
  status,  ///< the commands of the trials that show the causes
  whole,   ///< and the logs of all attempts whose curve is not known
};

/// A state that knows what the journal says and no more.
RunState state_after(const configs::Experiment& experiment, History history);

/// Reads the curve of the fix, which is proved. It may have been judged by an earlier bisectd, or long before it was known
/// to be the fix.
void describe_fix(const configs::Experiment& experiment, const keep::RunDirectory& directory, RunState& state,
                  const judge::Reference& reference);

/// All of the record but its trials and what is made of them: costs nothing of their number.
reports::Record frame_of(const configs::Experiment& experiment, const keep::RunDirectory& directory, const RunState& state,
                         double elapsed_s);

/// One trial of the journal: judged, or under way and then with the attempts that run.
reports::Trial shown_trial(const PastTrial& past, const RunState& state);

reports::Record record_of(const configs::Experiment& experiment, const keep::RunDirectory& directory, const RunState& state,
                          double elapsed_s, Detail detail);

}  // namespace bisectd::driver
