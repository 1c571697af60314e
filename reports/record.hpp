// The immutable record of a run, from which every renderer draws. Holds results only: no renderer computes anything
// that is not here, and nothing here says how it looks. Times are UTC, durations in seconds, relative differences
// fractions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/role.hpp"
#include "strategies/answer.hpp"

namespace bisectd::reports {

/// A suspect as people know it.
struct Name {
  std::string family;  ///< ops, flags, ...
  std::string name;    ///< pad3d, storage_format, ...
};

/// A curve thinned for reports; `values` may hold NaN and infinities.
struct Line {
  std::vector<std::int64_t> steps;
  std::vector<double> values;
};

/// Another logged metric, for the eye only: loss scale, gradient norm, ... Curves may be empty.
struct OtherMetric {
  std::string name;
  Line reference, as_is, fix;
};

/// One launch in short, as its watcher ends it, the journal keeps it and reports show it.
struct AttemptSummary {
  std::string text;      ///< how it ended: "exited 0", "killed by SIGSEGV", "stopped: no output for 10m"; empty: it runs
  double started_s = 0;  ///< since the run began
  double duration_s = 0;
  std::string device;                     ///< "npu 0,1", "npu 0,1 on node17"; empty without devices
  std::optional<std::int64_t> last_step;  ///< seen
  std::optional<double> step_time_s;      ///< of its warm part; absent where too little was seen of it
  int perturbed = 0;                      ///< seed of the perturbation that it was started with; 0: none
  std::string perturbation;               ///< what it logged of that: how many parameters, by how much; may be empty
};

struct Attempt : AttemptSummary {
  std::string folder;                ///< relative to the run directory
  Line curve;                        ///< the deciding metric
  std::optional<double> last_value;  ///< of a running attempt: what the deciding metric is now
  std::optional<double> delta;       ///< of a running attempt: so far
};

/// One trial, judged or running; of a running one `delta` is what it is so far. What a trial neutralises is here in
/// ids for people and report.json, where the driver has sets (driver/trial/trial_plan.hpp).
struct Trial : strategies::Judged {
  std::size_t number = 0;  ///< 1-based, in the order started
  Role role = Role::search;
  std::vector<std::size_t> neutralised;  ///< indices into Record::suspects, ascending
  std::string value;                     ///< which one of a ladder it tries, "scale=64"; else empty
  bool running = false;
  std::vector<Attempt> attempts;
  std::vector<std::string> notes;
};

/// Trials whose first steps are alike. Mostly the same causes were active in them; not where a cause begins later.
struct SignatureGroup {
  std::vector<double> steps;                     ///< of its first trial, as Trial::signature
  double size = 0;                               ///< root mean square of these
  std::vector<std::size_t> causes;               ///< active in all of its trials: indices into Answer::causes
  std::vector<std::size_t> trials;               ///< their numbers, in order
  std::vector<std::size_t> causes_of_some = {};  ///< in some of them, or a ladder at another value, where nobody knows
};

/// A value that the fix wants in a configuration file of the training's own.
struct ConfigSetting {
  std::string file, key, value;
};

/// A neutralised suspect that left no trace where one is due.
struct NoEffect {
  std::size_t suspect = 0;
  std::string why;
};

/// How the subject fared with one value of a ladder.
struct Rung {
  std::string value;      ///< as the experiment writes it: a number, `dynamic`, phases
  std::size_t trial = 0;  ///< its number
  strategies::Verdict verdict = strategies::Verdict::unresolved;
  std::optional<double> delta;
};

/// The widest stretch of a ladder's values that passes; indices of rungs.
struct PassingWindow {
  std::size_t first = 0, last = 0;
  std::size_t taken = 0;  ///< what neutralises the ladder: its middle, unless that changes less by itself than others
};

/// A knob with ascending values (the loss scale), each of them tried.
struct Ladder {
  std::string family;
  bool alone = true;                    ///< nothing else was neutralised; else everything else was
  std::vector<Rung> rungs;              ///< ascending numbers, then other values
  std::optional<PassingWindow> window;  ///< absent: no value passes
};

/// The smallest run that shows a cause: everything else neutralised.
struct Reproduction {
  std::vector<std::size_t> cause;  ///< ids, as in Answer::causes
  std::size_t trial = 0;           ///< its number
  std::string script;              ///< for a POSIX shell, whole: environment, folder, command
};

/// Another minimal set that was tried in the place of the culprit set.
struct OtherFix {
  std::vector<std::size_t> neutralised;  ///< ids, ascending
  std::size_t trial = 0;                 ///< its number
  strategies::Verdict verdict = strategies::Verdict::unresolved;
  std::optional<double> delta;
  std::optional<double> step_time_s;  ///< median
};

/// An entry of a workaround in use that `bisectd prune` leaves in use in every run.
struct Kept : Name {
  std::string needed_by;  ///< the family that needs it in every run; empty: the experiment excludes it
};

/// What `bisectd prune` found: the search had nothing neutralised where the workaround is not in use.
struct Pruned {
  bool answered = false;  ///< else nothing of the rest is known
  std::vector<std::size_t> needed,
      over;                ///< ids, ascending: entries of the workaround that are still, and no longer, needed
  std::vector<Kept> kept;  ///< nobody knows whether these are needed
  std::optional<double> in_use_step_time_s;  ///< median with the whole workaround
  std::optional<double> needed_step_time_s;  ///< median with what is needed of it
};

/// A second search, among the parts of members that the first one proved guilty.
struct Descent {
  std::vector<std::size_t> opened;    ///< ids, ascending: the members whose parts are searched
  std::vector<std::size_t> suspects;  ///< ids, ascending: their parts, and what the first search found beside them
  std::size_t first_trial = 0;        ///< the number from which on trials are of the second search
  strategies::Answer before;          ///< of the first search, proved
  std::string stayed;  ///< why the answer is still that of the first search; empty: it is not, or the second one goes on
};

enum class Outcome { unfinished, culprits, aligned, outside_suspects, inconclusive, infrastructure };

/// What the standard of `accept` says of a run; `met` is empty where it says nothing.
struct ByStandard {
  std::optional<bool> met;
  std::string text;  ///< one sentence
};

/// The curves of a run, for the eye, and what a named standard says of them.
struct Comparison {
  std::size_t references = 0;  ///< distinct reference curves
  Line reference_curve;        ///< mean of the references
  Line fix_curve;              ///< of the culprit set neutralised; may be empty
  Line as_is_curve;
  Line reference_low, reference_high;     ///< envelope of the references; may be empty
  Line as_is_difference, fix_difference;  ///< signed relative difference to the references; may be empty
  std::vector<OtherMetric> other_metrics;
  std::optional<ByStandard> as_is_by_standard, fix_by_standard;  ///< absent: none is named, or there is no such run
};

/// What the fix, and what others in its place, cost in speed.
struct Costs {
  std::optional<double> as_is_step_time_s, fix_step_time_s;  ///< medians; absent when the log has no times
  std::optional<double> step_time_error;  ///< of the fix's step time as a share of that as it is, one standard deviation;
                                          ///< absent: no set ran twice
  std::optional<double> step_time_limit;  ///< what a fix may cost in step time, as a share of it as it is
  std::vector<OtherFix> other_fixes;      ///< by price
};

/// What a run came to.
struct Conclusion {
  Outcome outcome = Outcome::unfinished;
  strategies::Answer answer;               ///< ids are indices into the suspects
  std::string advice;                      ///< what to do next when there is no culprit, in plain words
  std::vector<std::string> warnings;       ///< that a reader of the result must know
  std::vector<std::string> agreed_checks;  ///< names: both sides were given the same there
  std::vector<NoEffect> no_effect;         ///< ids of those that are always on are behind those of the suspects with trials
  std::vector<std::pair<std::string, std::string>> workaround;  ///< environment to export, in order
  std::vector<std::string> workaround_unset;                    ///< variables the fix wants unset
  std::vector<std::string> workaround_arguments;                ///< argv elements to add
  std::vector<ConfigSetting> workaround_config;                 ///< of configuration files of the training's own
};

struct Record : Conclusion, Comparison, Costs {
  std::string program_version;
  std::string experiment;  ///< name
  std::string experiment_file;
  std::string run_folder;   ///< absolute
  std::string started_utc;  ///< ISO 8601 with Z
  double elapsed_s = 0;
  bool finished = false;
  std::string metric;
  double target = 0.005;
  bool worse_only = false;                  ///< a better result is accepted, however far off (accept.worse_only)
  bool higher_is_better = false;            ///< the metric is a score
  std::optional<std::int64_t> must_run_to;  ///< it need only run, to this step, and is compared with nothing
  std::optional<double> noise;              ///< run-to-run standard deviation of the level
  std::vector<Name> suspects;
  std::vector<std::size_t> parts;  ///< ids, ascending: parts of other suspects, which the first search leaves active
  std::optional<Descent> descent;  ///< once there is one
  std::string why_more_trials;     ///< what made the expected range grow last, in words; empty: it shrank
  std::vector<Trial> trials;
  std::vector<SignatureGroup> signature_groups;  ///< the one nearest to the reference first
  std::map<std::size_t, std::string> refused;    ///< suspect -> why it cannot be neutralised, where the log of a run says it
  std::size_t always_on =
      0;  ///< so many of the suspects, the last ones, could not be neutralised by anything: none has a trial
  std::vector<Ladder> ladders;
  std::optional<Pruned> pruned;                 ///< of a finished `bisectd prune`
  std::map<std::string, std::string> versions;  ///< framework, plug-in, ...
  std::vector<std::string> changes;             ///< of versions, since the baseline
  std::vector<std::string> held;                ///< what every run of both sides had: "seed 1024"
  std::vector<Reproduction> reproductions;      ///< of the causes, as far as they were tried
};

}  // namespace bisectd::reports
