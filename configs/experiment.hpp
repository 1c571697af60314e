// What one experiment file describes, after the preset was merged in and every value was checked.
// Plain data: knows neither YAML nor processes nor the search.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/family.hpp"
#include "configs/place.hpp"
#include "configs/slurm_jobs.hpp"
#include "configs/standards.hpp"

namespace bisectd::configs {

/// How repeats of a training become samples of its rounding: by a perturbation of rounding size, or harmless settings.
/// Repeat 0 of anything is not perturbed, repeat k is with seed k. Exactly one of `environment`, `argument` and `switches`
/// is set.
struct Perturbation {
  std::optional<std::string> environment;       ///< variable that holds the seed; absent from runs that are not perturbed
  std::optional<Placed<std::string>> argument;  ///< one argv element with {seed}; none in runs that are not perturbed
  std::vector<std::map<std::string, Placed<std::string>>> switches;  ///< repeat k is started with entry k-1
  std::map<std::string, std::string> needs;                          ///< variables of every run; with kFamilyPlaceholders
  std::optional<Placed<std::string>> made;    ///< RE2, group `value`: what a perturbed run logs of its perturbation
  std::optional<Placed<std::string>> undone;  ///< RE2, group `value`: what it logs if the perturbation was lost
  Place place;
};

/// How many runs differ by their perturbation, the one without included; absent: as many as are wanted.
inline std::optional<int> most_samples(const Perturbation& perturbation) {
  if (perturbation.switches.empty()) return std::nullopt;
  return static_cast<int>(perturbation.switches.size()) + 1;
}

/// The accelerators one side may use. With `kind: cpu` and no ids there is one slot without a device.
struct Devices {
  std::string kind = "cpu";      ///< npu, gpu, cpu or any other word
  std::vector<int> ids;          ///< ascending, no id twice; none where a job brings its own
  int per_trial = 1;             ///< devices one attempt holds; divides the pool into slots
  std::string visible_variable;  ///< environment variable that shows the slot's ids to the training; empty: none
  Place place;
};

/// A configuration file of the training's own of which suspects are keys. Every attempt has a copy in its folder.
struct TrainingConfig {
  std::string file;     ///< as the experiment says it; the placeholders {config:FILE} and, of an only one, {config}
  std::string name;     ///< of the copy
  std::string content;  ///< as it is
};

/// How one side (the trusted reference or the subject under test) is started.
struct Side {
  std::vector<Placed<std::string>> command;  ///< argv; may hold the placeholders of configs/placeholders.hpp
  Place place;
  Devices devices;
  std::optional<SlurmJobs> slurm;            ///< absent: attempts run on this machine
  std::optional<Placed<std::string>> setup;  ///< shell text, run once; its environment is captured
  std::map<std::string, Placed<std::string>> environment;
  std::vector<std::string> unset;                ///< inherited variables to take away
  std::optional<Placed<std::string>> directory;  ///< resolved against the folder of the file that says it
  std::vector<TrainingConfig> configs;           ///< of the subject
  std::optional<std::string> log;                ///< absent: its stdout and stderr, which launchers may copy a part of only
  std::optional<Perturbation> perturb;           ///< the file's own, where the side says nothing
  std::chrono::milliseconds timeout{std::chrono::minutes{60}};     ///< of one attempt
  std::chrono::milliseconds stall{std::chrono::minutes{30}};       ///< no new output for this long
  std::chrono::milliseconds exit_grace{std::chrono::seconds{30}};  ///< to leave after the last step was logged
};

/// The trusted side.
struct Reference : Side {
  int repeats = 3;                          ///< runs, >= 1: one as it is, the others perturbed where that can be
  std::vector<Placed<std::string>> curves;  ///< files that exist, resolved like `directory`; `command` is then empty

  bool is_recorded() const { return !curves.empty(); }
  bool is_there() const { return is_recorded() || !command.empty(); }
};

/// Where one metric is read from, by `format` or by `pattern`; where neither is set, it is found out from the log.
struct Metric {
  std::string name;                            ///< loss, acc, ...
  Placed<std::string> format;                  ///< a name of formats.hpp
  std::optional<Placed<std::string>> pattern;  ///< RE2 with named groups `step` (optional) and `value`
  std::optional<std::string> file;             ///< relative to the attempt's directory; absent: stdout and stderr
  std::string step_key = "step";               ///< column or key of the step, for csv and jsonl
  std::string value_key;                       ///< column or key of the value; empty: the metric's name
  bool higher_is_better = false;

  /// Loss scale and gradient norm have rules of their own and no target: they are watched beside what is judged.
  bool is_watched() const { return name == "loss_scale" || name == "grad_norm"; }
};

/// What a trial must come to: agree with the reference, or run at all, which needs no reference.
enum class Goal { agrees, runs };

/// When two curves agree. Fractions, not percent: 0.005 is 0.5 %. What each does: docs/verdicts.md.
struct Acceptance {
  Goal goal = Goal::agrees;         ///< runs: what follows is not used
  double target = 0.005;            ///< delta: accepted relative difference at the end
  double grey = 2.0;                ///< g: width of the grey zone; 1 is a strict equivalence test
  bool worse_only = false;          ///< judge only differences to the worse side
  int max_repeats = 3;              ///< attempts of one trial before it is called inconclusive
  double window = 0.30;             ///< the final window of runs that differ by chance, as a share of the run
  double trim = 0;                  ///< trimmed from each end of the window before the mean
  bool whole = false;               ///< a run that was surely off on the way fails, though it ends within the target
  double absolute_tolerance = 0;    ///< "or absolute": differences below this pass whatever the scale
  const Standard* standard{};       ///< said beside the verdict, and changes none; null: none
  std::optional<double> step_time;  ///< what a fix may cost at most, as a share of the step time of the subject as it is
};

/// A fact that both sides must agree on. Exactly one of `command` and `patterns` is set.
struct Check {
  std::string name;                            ///< safe as part of a file name
  std::vector<Placed<std::string>> command;    ///< argv, run on both sides: its output must agree
  std::vector<Placed<std::string>> patterns;   ///< RE2 with the group `value`: what the logs say must agree
  std::optional<Placed<std::string>> after;    ///< RE2: lines in front of the first one that it fits are not looked at
  std::vector<Placed<std::string>> arguments;  ///< the same over the command's words with blanks between them
  std::vector<Placed<std::string>> factors;    ///< the same over log or command: the number is multiplied by it
  bool per_device = false;                     ///< to be multiplied by the devices of an attempt
  bool standard = false;  ///< of a preset: the first value of the first pattern that finds any, where both logs have one
  Place place;
};

/// Whether its value is a number of one device or of one part of a step.
inline bool is_multiplied(const Check& check) { return check.per_device || !check.factors.empty(); }

/// Devices that one attempt of a side trains on.
inline int devices_of_attempt(const Devices& devices) { return devices.ids.empty() ? 1 : devices.per_trial; }

/// Odds that a file tells: of a member with this name, or of the operators that compute what a class or a function of this
/// name does.
struct Hint {
  std::string name;
  bool computes = false;  ///< the latter: batch_norm_grad computes BatchNorm2D, backward
  bool backward = false;  ///< of `computes`: the backward operators, else the forward ones
  double odds = 1;
};

/// A member as the reports say it, `family:name`.
struct MemberLabel {
  std::string family, name;
  auto operator<=>(const MemberLabel&) const = default;
};

/// Which members of a family are searched.
struct Selection {
  bool all = false;                          ///< every switch that is not safe already, every value of a ladder
  bool discover = false;                     ///< ask a run which members it really uses
  std::vector<Placed<std::string>> members;  ///< named here, in a file, or by the family itself (all of a list)
  std::vector<Placed<std::string>> exclude;
  std::map<std::string, Placed<double>> likely;    ///< prior odds against an unremarkable member, > 0
  std::optional<Placed<std::string>> likely_from;  ///< file that tells further odds, relative to the working directory
  std::vector<Hint> hints;                         ///< what it tells, once it is read; `likely` counts before it
  std::map<std::string, Placed<double>> price;     ///< what keeping it neutralised costs, > 0, in any one unit
  std::optional<Placed<std::string>> then;         ///< the family whose members are MEMBER/PART; at most one has it
  Place place;
};

enum class EngineChoice { automatic, ordered, causes };

/// Which of several minimal fixes is the culprit set: by the suspects' prices, or by the step time that was measured.
enum class FixChoice { cheapest, fastest };

struct SearchSettings {
  double confidence = 0.99;
  std::optional<std::int64_t> budget_trials;
  std::optional<double> budget_hours;
  std::uint64_t seed = 1;
  EngineChoice engine = EngineChoice::automatic;
  std::int64_t signature_steps = 12;  ///< logged first steps that are compared between trials; 0: none
  FixChoice fix = FixChoice::cheapest;
};

/// How `bisectd align` gets a training to write down what its modules compute in one step.
struct Alignment {
  std::string environment;                   ///< variable that holds the file to write; unset in all other runs
  std::map<std::string, std::string> needs;  ///< of such a run; with kFamilyPlaceholders, as those below
  double bound = 0.01;                       ///< a fraction
  Place place;
};

/// What `hold` keeps the same in every run of both sides: the seed that a training begins with, and deterministic kernels.
struct Hold {
  std::optional<std::int64_t> seed;
  bool deterministic = false;
  std::map<std::string, std::string> environment;  ///< variables of every run of both sides
  Place place;
};

/// How one run is made to name the first operator that gives an inf or a nan: by the framework's own check.
struct OverflowCheck {
  std::map<std::string, std::string> environment;  ///< of that run only; may hold the placeholders of a family's variables
  Placed<std::string> first;                       ///< RE2, group `value`: the first line that it fits names the operator
  Place place;
};

/// Where the version of one part of the subject's software is found. Exactly one of the first three is set.
struct VersionSource {
  std::optional<Placed<std::string>> package;  ///< a Python package, asked of the subject's own Python
  std::optional<Placed<std::string>> file;     ///< resolved against the folder of the file that says it
  std::vector<Placed<std::string>> command;    ///< argv with kVersionPlaceholders
  std::optional<Placed<std::string>> pattern;  ///< RE2, group `value`, over the file or the output; absent: first line
};

/// One experiment, whole.
struct Experiment {
  std::string file;  ///< path as given by the user
  std::string name;  ///< safe as a folder name: letters, digits, '.', '_' and '-'
  std::optional<std::string> preset;
  Reference reference;
  Side subject;
  std::optional<Alignment> align;               ///< absent: `bisectd align` cannot be used
  std::optional<OverflowCheck> overflow_check;  ///< absent: nobody is asked
  std::optional<std::int64_t> steps;            ///< last step of a whole run; absent: learnt from the reference
  std::optional<Placed<std::int64_t>> soak;     ///< last step of the long run of the fix, more than `steps`; absent: none
  std::vector<Metric> metrics;                  ///< every judged one must pass, the first is reported; watched ones last
  Acceptance accept;
  std::vector<Check> checks;
  Hold hold;
  std::map<std::string, Family> families;     ///< of the preset and of the file, by name
  std::map<std::string, Selection> suspects;  ///< by family name; each family exists in `families`
  SearchSettings search;
  std::map<std::string, VersionSource> versions;  ///< recorded with the run; what is not found is left out
  std::vector<Placed<std::string>> warnings;      ///< not wrong, but likely not what was meant; to be shown once
};

}  // namespace bisectd::configs
