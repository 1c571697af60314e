#include "driver/trial/past_trial.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "driver/keep/whole_number.hpp"
#include "driver/trial/set_of.hpp"
#include "reports/verdict_words.hpp"

namespace bisectd::driver {
namespace {

using nlohmann::json;
using strategies::Verdict;

template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <class T>
std::optional<T> get(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if constexpr (std::is_integral_v<T>) return keep::whole_number<T>(*found);
  else return found->template get<T>();
}

judge::Judgement judgement_of(const json& record) {
  judge::Judgement judgement;
  judgement.verdict = reports::verdict_of(record.at("verdict").get<std::string>());
  judgement.reason = record.at("reason");
  judgement.text = record.at("text");
  judgement.delta = get<double>(record, "delta");
  judgement.standard_error = get<double>(record, "standard_error");
  judgement.p_bad = get<double>(record, "p_bad").value_or(judgement.p_bad);  // JSON has no NaN: null
  judgement.noise = get<double>(record, "noise");
  judgement.detectable = get<double>(record, "detectable");
  judgement.comparable_until = get<std::int64_t>(record, "comparable_until");
  judgement.first_bad_step = get<std::int64_t>(record, "first_bad_step");
  if (const auto there = record.find("beside_as_is"); there != record.end())
    judgement.beside_as_is = strategies::Size{get<double>(*there, "delta"), get<double>(*there, "standard_error")};
  if (const auto window = record.find("window"); window != record.end())
    judgement.window =
        judge::Steps{keep::whole_number<std::int64_t>(window->at(0)), keep::whole_number<std::int64_t>(window->at(1))};
  judgement.notes = record.value("notes", std::vector<std::string>{});
  judgement.metric = record.value("metric", std::string());
  if (record.contains("decided_by")) judgement.decided_by = {judgement.metric, get<double>(record, "decided_by")};
  judgement.strict = record.value("strict", false);
  judgement.signature = record.value("signature", std::vector<double>{});
  if (const auto spreads = record.find("spreads"); spreads != record.end())
    for (const auto& [metric, spread] : spreads->items())
      judgement.spreads[metric] = {spread.at(0), spread.at(1), spread.at(2), spread.at(3), spread.at(4)};
  return judgement;
}

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
    trial.number = keep::whole_number(record.at("trial"));
    trial.role = reports::role_of(record.at("role").get<std::string>());
    trial.neutralised = strategies::Neutralised(set_of(record.at("neutralised").get<std::string>()));
    trial.reason = record.at("reason");
    trial.rungs = record.value("rungs", neutralise::Rungs{});
    trial.shortened = record.value("shortened", false);
    if (!trials.empty() && trials.back().number >= trial.number)
      throw std::invalid_argument("a trial has the number of one before it");
    trials.push_back(std::move(trial));
  } else if (kind == "attempt-started") {
    PastAttempt& attempt = its_trial().attempts.emplace_back();
    attempt.number = keep::whole_number<int>(record.at("attempt"));
    attempt.perturbed = get<int>(record, "perturbed").value_or(0);
    attempt.started_s = record.at("started_s");
    attempt.device = record.at("device");
    elapsed_s = std::max(elapsed_s, attempt.started_s);
  } else if (kind == "attempt-ended") {
    PastTrial& trial = its_trial();
    const int number = keep::whole_number<int>(record.at("attempt"));
    const auto attempt = std::ranges::find(trial.attempts, number, &PastAttempt::number);
    if (attempt == trial.attempts.end()) throw std::invalid_argument("an attempt ended that never started");
    attempt->ending = ending_of(record.at("ending").get<std::string>());
    attempt->text = record.at("text");
    attempt->started_s = record.at("started_s");
    attempt->duration_s = record.at("duration_s");
    attempt->device = record.at("device");
    attempt->last_step = get<std::int64_t>(record, "last_step");
    attempt->last_steps.clear();  // it may have been told of before
    if (const auto steps = record.find("last_steps"); steps != record.end())
      for (const auto& [metric, step] : steps->items()) attempt->last_steps[metric] = keep::whole_number<std::int64_t>(step);
    attempt->step_time_s = get<double>(record, "step_time_s");
    attempt->notes = record.value("notes", std::vector<std::string>{});
    attempt->perturbation = record.value("perturbation", std::string());
    attempt->undone = record.value("undone", std::string());
    elapsed_s = std::max(elapsed_s, attempt->started_s + attempt->duration_s);
    if (const auto learnt = record.find("learnt"); learnt != record.end())
      for (const auto& [metric, reading] : learnt->items()) readings.emplace_back(metric, reading.get<learn::Reading>());
  } else if (kind == "judged") {
    const std::size_t index = index_of(trials, keep::whole_number(record.at("trial")));
    if (trials[index].judgement) std::erase(order_judged, index);  // it was run again
    trials[index].judgement = judgement_of(record);
    trials[index].failed = false;
    order_judged.push_back(index);
  } else if (kind == "refused") {
    its_trial().refused = keep::whole_numbers(record.at("members"));
    its_trial().refused_because = record.value("reasons", std::vector<std::string>(its_trial().refused.size()));
  } else {
    return false;
  }
  return true;
}

void PastTrials::set_aside(std::size_t number) {
  PastTrial& trial = trials[index_of(trials, number)];
  trial.failed = true;
  const auto is_broken = [](const PastAttempt& attempt) { return attempt.ending && !is_whole(*attempt.ending); };
  const bool any_broken = std::ranges::any_of(
      trial.attempts, [&](const PastAttempt& attempt) { return !attempt.set_aside && is_broken(attempt); });
  for (PastAttempt& attempt : trial.attempts) attempt.set_aside |= !any_broken || is_broken(attempt);
}

json refused_record(std::size_t trial, const std::vector<strategies::SuspectId>& members,
                    const std::vector<std::string>& reasons) {
  return {{"kind", "refused"}, {"trial", trial}, {"members", members}, {"reasons", reasons}};
}

json trial_record(const TrialPlan& plan) {
  json record = {{"kind", "trial"},
                 {"trial", plan.number},
                 {"role", name_of(plan.role)},
                 {"neutralised", set_key(plan.neutralised)},
                 {"reason", plan.reason}};
  if (plan.shortened) record["shortened"] = true;
  if (!plan.rungs.empty()) record["rungs"] = plan.rungs;
  return record;
}

json attempt_started_record(const AttemptRequest& request, double started_s, const std::string& device) {
  json record = {{"kind", "attempt-started"},
                 {"trial", request.trial},
                 {"attempt", request.number},
                 {"started_s", started_s},
                 {"device", device}};
  if (request.perturbed) record["perturbed"] = request.perturbed;
  return record;
}

json attempt_ended_record(const AttemptOutcome& outcome) {
  json record = {{"kind", "attempt-ended"},           {"trial", outcome.trial},  {"attempt", outcome.number},
                 {"ending", name_of(outcome.ending)}, {"text", outcome.text},    {"started_s", outcome.started_s},
                 {"duration_s", outcome.duration_s},  {"device", outcome.device}};
  put(record, "last_step", outcome.last_step);
  for (const auto& [metric, step] : outcome.last_steps)
    if (step) record["last_steps"][metric] = *step;
  put(record, "step_time_s", outcome.step_time_s);
  if (outcome.waited_s > 0) record["waited_s"] = outcome.waited_s;
  if (!outcome.notes.empty()) record["notes"] = outcome.notes;
  if (!outcome.perturbation.empty()) record["perturbation"] = outcome.perturbation;
  if (!outcome.undone.empty()) record["undone"] = outcome.undone;
  for (const auto& [metric, reading] : outcome.learnt) record["learnt"][metric] = reading;
  return record;
}

json judged_record(std::size_t trial, const judge::Judgement& judgement) {
  json spreads = json::object();
  for (const auto& [metric, spread] : judgement.spreads)
    spreads[metric] = {spread.last, spread.before, spread.both, spread.dof, spread.identical};
  json record = {
      {"kind", "judged"},           {"trial", trial},         {"verdict", reports::verdict_word(judgement.verdict)},
      {"reason", judgement.reason}, {"text", judgement.text}, {"p_bad", judgement.p_bad}};
  if (!judgement.notes.empty()) record["notes"] = judgement.notes;
  if (!judgement.metric.empty()) record["metric"] = judgement.metric;
  if (judgement.strict) record["strict"] = true;
  const bool is_finite = std::ranges::all_of(judgement.signature, [](double value) { return std::isfinite(value); });
  if (is_finite && !judgement.signature.empty()) record["signature"] = judgement.signature;  // JSON has no NaN
  if (!spreads.empty()) record["spreads"] = std::move(spreads);
  put(record, "delta", judgement.delta);
  if (judgement.decided_by) {  // by `metric`; JSON has no NaN
    const std::optional<double> delta = judgement.decided_by->delta;
    record["decided_by"] = delta && std::isfinite(*delta) ? json(*delta) : json(nullptr);
  }
  put(record, "standard_error", judgement.standard_error);
  put(record, "noise", judgement.noise);
  put(record, "detectable", judgement.detectable);
  put(record, "comparable_until", judgement.comparable_until);
  put(record, "first_bad_step", judgement.first_bad_step);
  if (judgement.window) record["window"] = {judgement.window->first, judgement.window->last};
  if (judgement.beside_as_is) {
    json& there = record["beside_as_is"] = json::object();
    put(there, "delta", judgement.beside_as_is->delta);
    put(there, "standard_error", judgement.beside_as_is->standard_error);
  }
  return record;
}

}  // namespace bisectd::driver
