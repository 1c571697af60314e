// Before the search: do both sides agree in what they are declared to agree in, does the reference repeat, does the
// subject as it is fail.
#pragma once

#include <optional>

#include "driver/checks/checks.hpp"
#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Runs the commands of the declared checks. False, and the record concluded, if the sides differ.
bool check_sides(Run& run);

/// What the checks' patterns find in the log of the trusted side: of this attempt, or of what was recorded.
Facts logged_reference_facts(const configs::Experiment& experiment, const std::filesystem::path& attempt);

/// Runs the reference; absent if it is recorded. Throws Infrastructure if it gives no curve, Interrupted.
std::optional<FinishedTrial> run_reference(Run& run);
/// Seats the jury; the reference's curves, of these runs or recorded. Throws Infrastructure if they cannot be used.
std::vector<judge::Curve> seat_jury(Run& run, const std::optional<FinishedTrial>& reference);

/// The subject with nothing neutralised.
TrialPlan plan_as_is(const Run& run);

/// Runs the subject as it is, beside it the discovery if a family wants one, and lists the suspects. Empty, and the record
/// concluded, if there is nothing to search. Throws Infrastructure, Interrupted.
std::optional<FinishedTrial> measure_subject(Run& run);
/// The same where the subject must only run: it breaks; absent if it does not.
std::optional<FinishedTrial> measure_running(Run& run);

}  // namespace bisectd::driver
