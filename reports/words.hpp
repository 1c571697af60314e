// The sentences and figures that all renderers share, so that console, Markdown, HTML and JUnit say the same thing.
// Foreign text is passed through the `Escape` of the place; layout is the renderer's affair.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/record.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::reports {

/// How a renderer makes foreign text harmless (see escape.hpp).
using Escape = std::string (*)(std::string_view);

/// "+3.10 %", "-0.004 %", "nan", "not measured".
std::string percent_text(std::optional<double> fraction);

/// The first metric, or the other one that decided this trial (which may be null).
std::string deciding_metric(const Record& record, const Trial* trial);

/// How far off the metric was that decided the trial, without its name; without a figure what the judge saw: "nan".
std::string decided_text(const Trial& trial);

/// The same of a trial (null: "not measured"); "ended early" of one whose failure was certain before its end; "acc -5.2 %"
/// of one that another metric than the first decided.
std::string measured_text(const Trial* trial);

/// "0.0012 %", "<0.0001 %", "530 %", "inf": how far a tensor is off, to two digits.
std::string error_text(double fraction);

/// "0.5 %": as many digits as needed, no sign.
std::string unsigned_percent_text(double fraction);

/// "99.98 %", never rounded up; 1 is "100 %".
std::string confidence_text(double confidence);

/// "2.1 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

/// "1 trial", "12 trials".
std::string counted(std::size_t number, std::string_view what);

/// "1 more trial", "7 to 12 more trials": the expected range to the end.
std::string more_trials_text(const strategies::Answer& answer);
/// The same, and where it grew what made it grow: "8 to 12 more trials, more than before: trial 7 gave no verdict".
std::string more_trials_text(const Record& record);

/// The verdict's word, of a trial that may still run, or was run for what it logs: running, measured.
std::string_view state_word(const Trial& trial);

/// A heading: "culprits found", "agrees with the reference", ...
std::string_view outcome_title(const Record& record);

/// "ops:pad3d"; "#7" for an id that the record does not know.
std::string suspect_text(const Record& record, std::size_t id, Escape escape);

/// "ops:a, ops:b", in the order given.
std::string suspects_text(const Record& record, std::span<const std::size_t> ids, Escape escape);

/// A set of neutralised suspects, in the shortest way and with at most `limit` names: "nothing", "all 32",
/// "all but ops:a", "ops:a, ops:b", "12 of 32".
std::string set_text(const Record& record, std::span<const std::size_t> ids, std::size_t limit, Escape escape);

/// "ops:a alone", "ops:a and flags:b only together".
std::string cause_text(const Record& record, std::span<const std::size_t> cause, Escape escape);

/// "ops:a changes the first steps, by up to 34 times what healthy runs differ by, and does no harm by itself."
/// `suspect`: escaped already; `size`: Deviation::size.
std::string deviation_text(std::string_view suspect, double size);

/// What a line of the certificate claims: "only ops:a active: fails".
std::string claim_text(const Record& record, const strategies::Claim& claim, Escape escape);

/// The result in one or two sentences, with its confidence.
std::string verdict_sentence(const Record& record, Escape escape);

/// What a named standard says, a sentence each of the subject as it is and of the fix; empty where none is named.
std::vector<std::string> by_standard_texts(const Record& record, Escape escape);

/// The search's explanation with names in place of ids (#3), escaped as a whole.
std::string explanation_text(const Record& record, Escape escape);

std::string_view verdict_word(strategies::Verdict verdict);  ///< pass, fail, inconclusive, unresolved
std::string_view outcome_word(Outcome outcome);              ///< as in report.json: culprits, aligned, ...

}  // namespace bisectd::reports
