#include "driver/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "driver/keep/journal.hpp"

namespace bisectd::driver {
namespace {

using nlohmann::json;
using strategies::Verdict;

std::vector<neutralise::Member> members_of(const json& list) {
  std::vector<neutralise::Member> members;
  for (const json& member : list) members.push_back({member.at(0), member.at(1), member.at(2)});
  return members;
}

json json_of(const std::vector<neutralise::Member>& members) {
  json list = json::array();
  for (const neutralise::Member& member : members) list.push_back(json::array({member.family, member.name, member.odds}));
  return list;
}

constexpr std::array<std::pair<Verdict, const char*>, 4> kVerdictNames{{{Verdict::pass, "pass"},
                                                                        {Verdict::fail, "fail"},
                                                                        {Verdict::inconclusive, "inconclusive"},
                                                                        {Verdict::unresolved, "unresolved"}}};

template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <class T>
std::optional<T> get(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::nullopt : std::optional(found->template get<T>());
}

judge::Judgement judgement_of(const json& record) {
  judge::Judgement judgement;
  const std::string verdict = record.at("verdict");
  const auto named = std::ranges::find_if(kVerdictNames, [&](const auto& entry) { return verdict == entry.second; });
  if (named == kVerdictNames.end()) throw std::invalid_argument("no such verdict: " + verdict);
  judgement.verdict = named->first;
  judgement.reason = record.at("reason");
  judgement.text = record.at("text");
  judgement.delta = get<double>(record, "delta");
  judgement.standard_error = get<double>(record, "standard_error");
  judgement.p_bad = record.at("p_bad");
  judgement.noise = get<double>(record, "noise");
  judgement.detectable = get<double>(record, "detectable");
  judgement.first_bad_step = get<std::int64_t>(record, "first_bad_step");
  judgement.notes = record.at("notes").get<std::vector<std::string>>();
  judgement.metric = record.at("metric");
  judgement.strict = record.at("strict");
  for (const auto& [metric, spread] : record.at("spreads").items())
    judgement.spreads[metric] = {spread.at(0), spread.at(1), spread.at(2), spread.at(3), spread.at(4)};
  return judgement;
}

/// Applies records one by one; a trial is found by its number in constant time, so that a long night resumes at once.
class Replay {
 public:
  void operator()(const json& record) {
    const std::string kind = record.at("kind");
    if (kind == "run") {
      history.started_utc = record.at("started_utc");
      history.run_tag = record.at("tag");
      history.prune = record.at("prune");
      history.experiment_file = record.at("experiment");
      history.name = record.at("name");
      history.metric = record.at("metric");
      history.target = record.at("target");
    } else if (kind == "versions") {
      history.versions = record.at("versions").get<std::map<std::string, std::string>>();
    } else if (kind == "finished") {
      history.finished = true;
      history.elapsed_s = record.at("elapsed_s");
      history.conclusion = conclusion_in(record.at("conclusion"));
    } else if (kind == "session") {
      history.elapsed_s = record.at("elapsed_s");
      history.failure = record.at("failure");
    } else if (kind == "checks") {
      history.differing_commands = record.at("differences").get<std::vector<std::string>>();
    } else if (kind == "suspects") {
      history.exact = record.at("exact");
      history.catalogue = neutralise::Catalogue(members_of(record.at("members")));
      history.catalogue->set_always_on(members_of(record.value("always_on", json::array())));
      history.effect_seen.resize(history.catalogue->size());
    } else if (kind == "effect") {
      history.effect_seen = strategies::SuspectSet(record.at("seen").get<std::string>());
    } else if (kind == "trial") {
      PastTrial trial;
      trial.number = record.at("trial");
      trial.role = role_of(record.at("role").get<std::string>());
      trial.neutralised = strategies::SuspectSet(record.at("neutralised").get<std::string>());
      trial.reason = record.at("reason");
      trial.rungs = record.value("rungs", neutralise::Rungs{});
      trial.shortened = record.at("shortened");
      index_by_number_[trial.number] = history.trials.size();
      history.trials.push_back(std::move(trial));
    } else if (kind == "attempt-started") {
      history.failure.clear();
      const double started_s = record.at("started_s");
      trial_of(record).attempts.push_back(
          {.number = record.at("attempt"), .started_s = started_s, .device = record.at("device")});
      history.elapsed_s = std::max(history.elapsed_s, started_s);
    } else if (kind == "attempt-ended") {
      PastTrial& trial = trial_of(record);
      const int number = record.at("attempt");
      const auto attempt = std::ranges::find(trial.attempts, number, &PastAttempt::number);
      if (attempt == trial.attempts.end()) throw std::invalid_argument("an attempt ended that never started");
      attempt->ending = ending_of(record.at("ending").get<std::string>());
      attempt->text = record.at("text");
      attempt->started_s = record.at("started_s");
      attempt->duration_s = record.at("duration_s");
      attempt->device = record.at("device");
      attempt->last_step = get<std::int64_t>(record, "last_step");
      attempt->step_time_s = get<double>(record, "step_time_s");
      history.elapsed_s = std::max(history.elapsed_s, attempt->started_s + attempt->duration_s);
    } else if (kind == "judged") {
      PastTrial& trial = trial_of(record);
      trial.judgement = judgement_of(record);
      history.order_judged.push_back(index_by_number_.at(trial.number));
    } else if (kind == "refused") {
      record.at("members").get_to(trial_of(record).refused);
    } else {
      throw std::invalid_argument("unknown kind of record: " + kind);
    }
  }

  History history;

 private:
  PastTrial& trial_of(const json& record) { return history.trials.at(index_by_number_.at(record.at("trial"))); }
  std::map<std::size_t, std::size_t> index_by_number_;
};

}  // namespace

History read_history(const std::filesystem::path& journal) {
  Replay replay;
  std::size_t line = 0;
  replay.history.whole_bytes = keep::read_journal(journal, [&](const json& record) {
    ++line;
    try {
      replay(record);
    } catch (const std::exception& error) {  // json's and our own: the record does not fit what this version writes
      throw keep::JournalDamaged(journal, line, error.what());
    }
  });
  return std::move(replay.history);
}

json run_record(const History& begun, const configs::Experiment& experiment) {
  return {{"kind", "run"},
          {"started_utc", begun.started_utc},
          {"tag", begun.run_tag},
          {"prune", begun.prune},
          {"experiment", std::filesystem::absolute(experiment.file).string()},
          {"name", experiment.name},
          {"metric", experiment.metrics.front().name},
          {"target", experiment.accept.target}};
}

json versions_record(const std::map<std::string, std::string>& versions) {
  return {{"kind", "versions"}, {"versions", versions}};
}

json finished_record(const reports::Record& record) {
  return {{"kind", "finished"}, {"elapsed_s", record.elapsed_s}, {"conclusion", json_of_conclusion(record)}};
}

json session_record(double elapsed_s, const std::string& failure) {
  return {{"kind", "session"}, {"elapsed_s", elapsed_s}, {"failure", failure}};
}

json checks_record(const std::vector<std::string>& differences) {
  return {{"kind", "checks"}, {"differences", differences}};
}

json catalogue_record(const neutralise::Catalogue& catalogue, bool exact) {
  json record = {{"kind", "suspects"}, {"members", json_of(catalogue.members())}, {"exact", exact}};
  if (!catalogue.always_on().empty()) record["always_on"] = json_of(catalogue.always_on());
  return record;
}

json effect_record(const strategies::SuspectSet& seen) { return {{"kind", "effect"}, {"seen", set_key(seen)}}; }

json refused_record(std::size_t trial, const std::vector<strategies::SuspectId>& members) {
  return {{"kind", "refused"}, {"trial", trial}, {"members", members}};
}

json trial_record(const TrialPlan& plan) {
  json record = {{"kind", "trial"},
                 {"trial", plan.number},
                 {"role", name_of(plan.role)},
                 {"neutralised", set_key(plan.neutralised)},
                 {"reason", plan.reason},
                 {"shortened", plan.shortened}};
  if (!plan.rungs.empty()) record["rungs"] = plan.rungs;
  return record;
}

json attempt_started_record(std::size_t trial, int attempt, double started_s, const std::string& device) {
  return {{"kind", "attempt-started"},
          {"trial", trial},
          {"attempt", attempt},
          {"started_s", started_s},
          {"device", device}};
}

json attempt_ended_record(const AttemptOutcome& outcome) {
  json record = {{"kind", "attempt-ended"},
                 {"trial", outcome.trial},
                 {"attempt", outcome.number},
                 {"ending", name_of(outcome.ending)},
                 {"text", outcome.text},
                 {"started_s", outcome.started_s},
                 {"duration_s", outcome.duration_s},
                 {"device", outcome.device}};
  put(record, "last_step", outcome.last_step);
  put(record, "step_time_s", outcome.step_time_s);
  return record;
}

json judged_record(std::size_t trial, const judge::Judgement& judgement) {
  const auto named = std::ranges::find(kVerdictNames, judgement.verdict, &std::pair<Verdict, const char*>::first);
  json spreads = json::object();
  for (const auto& [metric, spread] : judgement.spreads)
    spreads[metric] = {spread.last, spread.before, spread.both, spread.dof, spread.identical};
  json record = {{"kind", "judged"},
                 {"trial", trial},
                 {"verdict", named->second},
                 {"reason", judgement.reason},
                 {"text", judgement.text},
                 {"p_bad", judgement.p_bad},
                 {"notes", judgement.notes},
                 {"metric", judgement.metric},
                 {"strict", judgement.strict},
                 {"spreads", std::move(spreads)}};
  put(record, "delta", judgement.delta);
  put(record, "standard_error", judgement.standard_error);
  put(record, "noise", judgement.noise);
  put(record, "detectable", judgement.detectable);
  put(record, "first_bad_step", judgement.first_bad_step);
  return record;
}

}  // namespace bisectd::driver
