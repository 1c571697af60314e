// One trial as the journal keeps it: the records that say what was started and how it ended, and the trials that they
// tell of when they are read back.
#pragma once

#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/judge/verdict.hpp"
#include "driver/trial/trial_plan.hpp"

namespace bisectd::driver {

struct PastTrial : TrialQuestion {
  std::vector<Attempt> attempts;
  std::optional<judge::Judgement> judgement;   ///< absent while open
  bool failed = false;                         ///< its session failed by it: it is to be run again
  std::vector<strategies::SuspectId> refused;  ///< its log said that these cannot be neutralised
  std::vector<std::string> refused_because;    ///< of each of them why; empty: it did not say
};

/// All trials of a journal, as its records tell of them one by one.
struct PastTrials {
  std::deque<PastTrial> trials;  ///< in the order started, which is that of their numbers; none is moved as more come
  std::vector<std::size_t> order_judged;  ///< indices into `trials`, in the order judged
  read::Readings readings;                ///< what was learnt from their logs
  double elapsed_s = 0;                   ///< of the run, when the last thing happened that a record tells of

  /// The trial of this number. Throws std::invalid_argument if there is none.
  const PastTrial& numbered(std::size_t number) const;

  /// False if the record is not one of a trial. Throws what nlohmann::json throws, and std::exception, for one that does
  /// not fit.
  bool take_trial(const nlohmann::json& record);

  /// A session failed by this trial: those of its attempts that gave no whole curve are set aside; all, if all gave one.
  void set_aside(std::size_t number);
};

nlohmann::json refused_record(std::size_t trial, const std::vector<strategies::SuspectId>& members,
                              const std::vector<std::string>& reasons);
nlohmann::json trial_record(const TrialPlan& plan);
nlohmann::json attempt_started_record(const AttemptRequest& request, double started_s, const std::string& device);
nlohmann::json attempt_ended_record(const AttemptOutcome& outcome);
nlohmann::json judged_record(std::size_t trial, const judge::Judgement& judgement);

}  // namespace bisectd::driver
