#include "driver/trial/past_trial.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "driver/trial/journaled.hpp"

namespace bisectd::driver {

using nlohmann::json;

BOOST_DESCRIBE_ENUM(Ending, finished, whole, crashed, timed_out, stalled, not_started, ended_early, interrupted, lost)
BOOST_DESCRIBE_STRUCT(Attempt, (reports::AttemptSummary), (ending, waited_s, undone, last_steps, notes))
BOOST_DESCRIBE_STRUCT(TrialQuestion, (), (role, neutralised, reason, rungs, search))

std::string name_of(Ending ending) { return keep::word_of(ending); }

namespace {

/// Where the trial of this number is; found at once, so that a long night resumes at once.
std::size_t index_of(const std::deque<PastTrial>& trials, std::size_t number) {
  const auto found = std::ranges::lower_bound(trials, number, {}, &PastTrial::number);
  if (found == trials.end() || found->number != number)
    throw std::invalid_argument("no trial has the number " + std::to_string(number));
  return static_cast<std::size_t>(found - trials.begin());
}

}  // namespace

const PastTrial& PastTrials::numbered(std::size_t number) const { return trials[index_of(trials, number)]; }

bool PastTrials::take_trial(const json& record) {
  const auto& kind = record.at("kind").get_ref<const std::string&>();
  const auto its_trial = [&]() -> PastTrial& { return trials[index_of(trials, keep::whole_number(record.at("trial")))]; };
  if (kind == "trial") {
    PastTrial trial;
    keep::read<TrialQuestion>(record, trial);
    trial.number = keep::whole_number(record.at("trial"));
    if (!trials.empty() && trials.back().number >= trial.number)
      throw std::invalid_argument("a trial has the number of one before it");
    trials.push_back(std::move(trial));
  } else if (kind == "attempt-started") {
    Attempt& attempt = its_trial().attempts.emplace_back();
    attempt.number = keep::whole_number<int>(record.at("attempt"));
    keep::read(record.at("started_s"), attempt.started_s);
    keep::read(record.at("device"), attempt.device);
    keep::read(record.at("perturbed"), attempt.perturbed);
    elapsed_s = std::max(elapsed_s, attempt.started_s);
  } else if (kind == "attempt-ended") {
    PastTrial& trial = its_trial();
    const auto attempt = std::ranges::find(trial.attempts, keep::whole_number<int>(record.at("attempt")), &Attempt::number);
    if (attempt == trial.attempts.end()) throw std::invalid_argument("an attempt ended that never started");
    keep::read(record, *attempt);
    elapsed_s = std::max(elapsed_s, attempt->started_s + attempt->duration_s);
    if (const auto learnt = record.find("learnt"); learnt != record.end())
      for (const auto& [metric, reading] : learnt->items())
        readings.emplace_back(metric, keep::read_as<learn::Reading>(reading));
  } else if (kind == "judged") {
    const std::size_t index = index_of(trials, keep::whole_number(record.at("trial")));
    if (trials[index].judgement) std::erase(order_judged, index);  // it was run again
    trials[index].judgement = keep::read_as<judge::Judgement>(record);
    trials[index].failed = false;
    order_judged.push_back(index);
  } else if (kind == "refused") {
    keep::read(record.at("members"), its_trial().refused);
    keep::read(record.at("reasons"), its_trial().refused_because);
  } else {
    return false;
  }
  return true;
}

void PastTrials::set_aside(std::size_t number) {
  PastTrial& trial = trials[index_of(trials, number)];
  trial.failed = true;
  const auto is_broken = [](const Attempt& attempt) { return attempt.ending && !is_whole(attempt.ending); };
  const bool any_broken =
      std::ranges::any_of(trial.attempts, [&](const Attempt& attempt) { return !attempt.set_aside && is_broken(attempt); });
  for (Attempt& attempt : trial.attempts) attempt.set_aside |= !any_broken || is_broken(attempt);
}

json refused_record(std::size_t trial, const std::vector<strategies::SuspectId>& members,
                    const std::vector<std::string>& reasons) {
  return {{"kind", "refused"}, {"trial", trial}, {"members", members}, {"reasons", reasons}};
}

json trial_record(const TrialPlan& plan) {
  json record = keep::record<TrialQuestion>("trial", plan);
  record["trial"] = plan.number;
  return record;
}

json attempt_started_record(const AttemptRequest& request, double started_s, const std::string& device) {
  return {{"kind", "attempt-started"}, {"trial", request.trial}, {"attempt", request.number},
          {"started_s", started_s},    {"device", device},       {"perturbed", request.perturbed}};
}

json attempt_ended_record(const AttemptOutcome& outcome) {
  json record = keep::record<Attempt>("attempt-ended", outcome);
  record["trial"] = outcome.trial;
  record["attempt"] = outcome.number;
  for (const auto& [metric, reading] : outcome.learnt) record["learnt"][metric] = keep::written(reading);
  return record;
}

json judged_record(std::size_t trial, const judge::Judgement& judgement) {
  json record = keep::record("judged", judgement);
  record["trial"] = trial;
  if (!std::ranges::all_of(judgement.signature, [](double value) { return std::isfinite(value); }))
    record.erase("signature");  // JSON has no NaN
  return record;
}

}  // namespace bisectd::driver
