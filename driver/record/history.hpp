// The journal as the driver reads it back: what was done in this run directory, by an earlier bisectd or by this one, and
// what it came to.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/neutralise/catalogue.hpp"
#include "driver/trial/past_trial.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

using reports::Conclusion;

/// Which run it is, as its first record says.
struct Begun {
  std::string started_utc;
  std::string run_tag;
  bool by_hand = false;             ///< a command's own run directory: nothing goes on with it
  bool reference_only = false;      ///< of the experiment nothing else was looked at (configs::Needed)
  bool prune = false;               ///< the experiment was turned round (prune_experiment.hpp)
  std::vector<reports::Kept> kept;  ///< of that experiment: what stays in use in every run
  std::string experiment_file;      ///< absolute
  std::string name, metric;         ///< of the experiment; the metric that decides
  double target = 0;
  std::string recording;  ///< digest of the recorded reference; empty: there is none, or of an earlier version
  /// What of the subject's settings was the shell's (LaunchSide::inherited); absent: of an earlier version.
  std::optional<std::map<std::string, std::string>> inherited;
};

/// What a journal tells, as far as it goes: its trials, and what there is beside them.
struct History : Begun, PastTrials {
  std::optional<std::map<std::string, std::string>> setup_files;  ///< as setup_files(); empty: there are none
  bool finished = false;                                          ///< it came to its answer, and nothing was started since
  std::map<std::string, std::string> versions;                    ///< of the subject's software, by name
  std::optional<Conclusion> conclusion;                           ///< of a finished one
  std::string failure;  ///< why the last session could not go on; empty: it was not so
  std::optional<std::vector<std::string>> differing_commands;  ///< how the sides differ; absent: not checked yet
  std::optional<neutralise::Catalogue> catalogue;
  bool exact = false;                           ///< the search was told that verdicts are exact
  strategies::SuspectSet effect_seen;           ///< suspects whose neutralising left its trace
  std::map<std::string, std::string> still_on;  ///< why others are not off though neutralised, as logs say it; by labels
  std::optional<reports::Descent> descent;      ///< once it was begun; without what was before
  std::uintmax_t whole_bytes = 0;               ///< of the journal, when it was read

  /// The next record. Throws what nlohmann::json throws, and std::exception, for one that does not fit.
  void take(const nlohmann::json& record);
  /// Unfinished, what it came to, or why the last session could not go on.
  reports::Outcome outcome() const;
};

/// The last judged trial of exactly this set, or null; one with the `wanted` verdict is preferred, because a repeat after it
/// may have been a lost node. Only trials that say something about the subject at its usual length count, and none of a
/// single value of a ladder.
const PastTrial* judged_trial(const History& history, const strategies::Neutralised& neutralised,
                              std::optional<strategies::Verdict> wanted = {});

/// Its attempt that ended last, or null.
const Attempt* last_ended(const PastTrial& trial);

/// Throws what keep::read_journal throws, and keep::JournalDamaged for a record that does not fit.
History read_history(const std::filesystem::path& journal);
/// Which run it is of, without what was done in it: of a long journal that is there at once. Throws the same.
History read_beginning(const std::filesystem::path& journal);

/// The journal's records of a run; those of its trials are in trial/past_trial.hpp.
/// `begun` says when, under which tag, and how the experiment was turned round, if it was.
nlohmann::json run_record(Begun begun, const configs::Experiment& experiment);
nlohmann::json versions_record(const std::map<std::string, std::string>& versions);
nlohmann::json setup_record(const std::map<std::string, std::string>& files);
nlohmann::json finished_record(const Conclusion& conclusion, double elapsed_s);
/// A session ended without an answer: a signal (`failure` empty), or something outside the search, seen in the runs of
/// `failed_trial`, if in those of one.
nlohmann::json session_record(double elapsed_s, const std::string& failure, std::optional<std::size_t> failed_trial);
nlohmann::json checks_record(const std::vector<std::string>& differences);
nlohmann::json catalogue_record(const neutralise::Catalogue& catalogue, bool exact);
nlohmann::json descent_record(const reports::Descent& descent);
nlohmann::json effect_record(const strategies::SuspectSet& seen, const std::map<std::string, std::string>& still_on);

}  // namespace bisectd::driver
