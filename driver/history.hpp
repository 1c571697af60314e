// The journal as the driver reads it back: what an earlier bisectd did in this run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/judge/verdict.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "driver/trial_plan.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

struct PastAttempt {
  int number = 1;
  std::optional<Ending> ending;  ///< absent: it was running when bisectd was killed
  std::string text;
  double started_s = 0, duration_s = 0;
  std::string device;
  std::optional<std::int64_t> last_step;
};

struct PastTrial {
  std::size_t number = 0;
  Role role = Role::search;
  strategies::SuspectSet neutralised;
  std::string reason;
  std::vector<PastAttempt> attempts;
  std::optional<judge::Judgement> judgement;  ///< absent while open
};

/// What a run came to, as far as it cannot be derived from the evidence: the environment of the subject is gone.
struct PastConclusion {
  reports::Outcome outcome = reports::Outcome::unfinished;
  std::string advice;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::size_t, std::string>> no_effect;
  std::vector<std::pair<std::string, std::string>> workaround;
  std::vector<std::string> workaround_unset, workaround_arguments;
};

struct History {
  std::string started_utc;
  std::string run_tag;
  std::string experiment_file;                       ///< absolute
  std::string name, metric;                          ///< of the experiment; the metric that decides
  double target = 0;
  bool finished = false;                             ///< it came to its answer
  std::map<std::string, std::string> versions;       ///< of the subject's software, by name
  std::optional<PastConclusion> conclusion;          ///< of a finished one
  std::string failure;                               ///< why the last session could not go on; empty: it was not so
  double elapsed_s = 0;                              ///< of all earlier sessions together
  std::optional<std::vector<neutralise::Member>> catalogue;
  strategies::SuspectSet effect_seen;                ///< suspects whose neutralising left its trace
  std::vector<PastTrial> trials;                     ///< in the order started
  std::vector<std::size_t> order_judged;             ///< indices into `trials`, in the order judged
  std::uintmax_t whole_bytes = 0;                    ///< of the journal
};

/// Throws what keep::read_journal throws, and keep::JournalDamaged-like std::runtime_error for a record that does not fit.
History read_history(const std::filesystem::path& journal);

/// The journal's records.
nlohmann::json run_record(const std::string& started_utc, const std::string& run_tag,
                          const configs::Experiment& experiment);
nlohmann::json versions_record(const std::map<std::string, std::string>& versions);
nlohmann::json finished_record(const reports::Record& record);
/// A session ended without an answer: a signal (`failure` empty), or something outside the search.
nlohmann::json session_record(double elapsed_s, const std::string& failure);
nlohmann::json catalogue_record(const neutralise::Catalogue& catalogue);
nlohmann::json effect_record(const strategies::SuspectSet& seen);
nlohmann::json trial_record(const TrialPlan& plan);
nlohmann::json attempt_started_record(std::size_t trial, int attempt, double started_s, const std::string& device);
nlohmann::json attempt_ended_record(const AttemptOutcome& outcome);
nlohmann::json judged_record(std::size_t trial, const judge::Judgement& judgement);

}  // namespace bisectd::driver
