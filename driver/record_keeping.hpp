// Keeps the record of a run up to date while it goes on. Pure bookkeeping: decides nothing.
#pragma once

#include "driver/history.hpp"
#include "driver/judge/reference.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/trials.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

reports::Record new_record(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                           const History& past);

/// A trial started (`outcome` null) or one of its attempts ended.
void note(reports::Record& record, const keep::RunDirectory& directory, const TrialPlan& plan,
          const AttemptOutcome* outcome);

/// How far a running attempt has come.
void note_running(reports::Record& record, const keep::RunDirectory& directory, const AttemptRequest& request,
                  std::optional<std::int64_t> last_step);

/// A trial came to its end.
void settle(reports::Record& record, const FinishedTrial& finished);

/// A trial that an earlier bisectd brought to its end.
void restore(reports::Record& record, const keep::RunDirectory& directory, const PastTrial& past);

void describe_reference(reports::Record& record, const judge::Reference& reference);
/// Step times of the subject as it is and of the fix, from the attempts of their trials.
void describe_costs(reports::Record& record);
void describe_as_is(reports::Record& record, const FinishedTrial& as_is);

/// At most this many points of a curve go into the record; the shape survives, the file stays small.
inline constexpr std::size_t kMostPoints = 500;
reports::Line thinned(const judge::Series& series);

/// The trial of this number. It exists.
reports::Trial& trial_of(reports::Record& record, std::size_t number);

}  // namespace bisectd::driver
