// Keeps the record of a run up to date while it goes on. Pure bookkeeping: decides nothing.
#pragma once

#include "driver/judge/reference.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/record/history.hpp"
#include "driver/trial/trials.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

reports::Record new_record(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& past);

/// A trial started (`outcome` null) or one of its attempts ended.
void note(reports::Record& record, const keep::RunDirectory& directory, const TrialPlan& plan,
          const AttemptOutcome* outcome);

/// How far a running attempt has come. `reference` is null as long as there is none.
void note_running(reports::Record& record, const keep::RunDirectory& directory, const RunningAttempt& running,
                  const judge::Reference* reference);

/// A trial came to its end.
void settle(reports::Record& record, const FinishedTrial& finished);

/// A trial of the journal: judged, or still open and then with the attempts that run.
void restore(reports::Record& record, const PastTrial& past);

/// What ended attempts logged, where the record has no curve of them yet and their files are still there: attempts of an
/// earlier bisectd, which restore() leaves without, because reading thousands of logs takes its time.
void add_logged_curves(reports::Record& record, const configs::Experiment& experiment, const keep::RunDirectory& directory);

/// The commands of the trials that show the causes, from their attempts' folders. Can be called again.
void describe_reproductions(reports::Record& record, const keep::RunDirectory& directory);

/// The trial of this number. It exists.
reports::Trial& trial_of(reports::Record& record, std::size_t number);

}  // namespace bisectd::driver
