#include "driver/record/history.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>

#include "driver/keep/journal.hpp"
#include "driver/keep/whole_number.hpp"
#include "driver/trial/set_of.hpp"

namespace bisectd::driver {
namespace {

using nlohmann::json;

std::vector<neutralise::Member> members_of(const json& list) {
  std::vector<neutralise::Member> members;
  for (const json& member : list)
    members.push_back({member.at(0), member.at(1), member.at(2), member.size() > 3 ? member.at(3) : ""});
  return members;
}

json json_of(const std::vector<neutralise::Member>& members) {
  json list = json::array();
  for (const neutralise::Member& member : members) {
    list.push_back(json::array({member.family, member.name, member.odds}));
    if (!member.stays_on.empty()) list.back().push_back(member.stays_on);
  }
  return list;
}

}  // namespace

void History::take(const json& record) {
  const auto& kind = record.at("kind").get_ref<const std::string&>();
  if (take_trial(record)) {
    if (kind == "attempt-started") failure.clear();
    if (kind == "trial") finished = false, conclusion.reset();  // more was asked, after changes or an outage
  } else if (kind == "run") {
    started_utc = record.at("started_utc");
    run_tag = record.at("tag");
    prune = record.at("prune");
    for (const json& entry : record.value("kept", json::array()))
      kept.push_back({{entry.at("family"), entry.at("name")}, entry.at("needed_by")});
    by_hand = record.value("by_hand", false);
    reference_only = record.value("reference_only", false);
    experiment_file = record.at("experiment");
    name = record.at("name");
    metric = record.at("metric");
    target = record.at("target");
    recording = record.value("recording", std::string());
    if (const auto given = record.find("inherited"); given != record.end())
      inherited = given->get<std::map<std::string, std::string>>();
  } else if (kind == "versions") {
    versions = record.at("versions").get<std::map<std::string, std::string>>();
  } else if (kind == "setup") {
    setup_files = record.at("files").get<std::map<std::string, std::string>>();
  } else if (kind == "finished") {
    finished = true;
    elapsed_s = record.at("elapsed_s");
    conclusion = conclusion_in(record.at("conclusion"));
  } else if (kind == "session") {
    elapsed_s = record.at("elapsed_s");
    failure = record.at("failure");
    if (!failure.empty()) finished = false, conclusion.reset();  // what the answer rests on is not there any more
    if (const auto trial = record.find("failed_trial"); trial != record.end()) set_aside(*trial);
  } else if (kind == "checks") {
    differing_commands = record.at("differences").get<std::vector<std::string>>();
  } else if (kind == "suspects") {
    exact = record.at("exact");
    catalogue = neutralise::Catalogue(members_of(record.at("members")));
    catalogue->set_always_on(members_of(record.value("always_on", json::array())));
    effect_seen.resize(catalogue->size());
  } else if (kind == "descent") {
    descent = PastDescent{.opened = keep::whole_numbers(record.at("opened")),
                          .scope = keep::whole_numbers(record.at("suspects")),
                          .first_trial = keep::whole_number(record.at("first_trial")),
                          .end_trial = keep::whole_number(record.at("end_trial")),
                          .stayed = record.at("stayed")};
  } else if (kind == "preferred") {
    preferred = keep::whole_numbers(record.at("fix"));
  } else if (kind == "effect") {
    effect_seen = set_of(record.at("seen").get<std::string>());
  } else {
    throw std::invalid_argument("unknown kind of record: " + kind);
  }
}

reports::Outcome History::outcome() const {
  if (finished) return conclusion->outcome;
  return failure.empty() ? reports::Outcome::unfinished : reports::Outcome::infrastructure;
}

const PastTrial* judged_trial(const History& history, const strategies::Neutralised& neutralised,
                              std::optional<strategies::Verdict> wanted) {
  const PastTrial* any = nullptr;
  const PastTrial* best = nullptr;
  for (const PastTrial& trial : history.trials) {
    if (!trial.judgement || trial.judgement->reason == kMeasured || trial.neutralised != neutralised) continue;
    if (traits_of(trial.role).speaks != reports::Speaks::of_set) continue;
    any = &trial;
    if (trial.judgement->verdict == wanted) best = &trial;
  }
  return best ? best : any;
}

const PastAttempt* last_ended(const PastTrial& trial) {
  for (const PastAttempt& attempt : trial.attempts | std::views::reverse)
    if (attempt.ending) return &attempt;
  return nullptr;
}

namespace {

void take_line(History& history, const json& record, const std::filesystem::path& journal, std::size_t line) {
  try {
    history.take(record);
  } catch (const std::exception& error) {  // json's and our own: the record does not fit what this version writes
    throw keep::JournalDamaged(journal, line, error.what());
  }
}

/// bisectd was killed between making the file and writing its first record, or this is another file.
[[noreturn]] void refuse_empty(const std::filesystem::path& journal) {
  throw keep::JournalDamaged(journal, 1, "there is no run in it; start the experiment anew");
}

}  // namespace

History read_history(const std::filesystem::path& journal) {
  History history;
  std::size_t line = 0;
  history.whole_bytes =
      keep::read_journal(journal, [&](const json& record) { take_line(history, record, journal, ++line); });
  if (line == 0) refuse_empty(journal);
  return history;
}

History read_beginning(const std::filesystem::path& journal) {
  History history;
  const auto record = keep::first_record(journal);
  if (!record) refuse_empty(journal);
  take_line(history, *record, journal, 1);
  return history;
}

json run_record(const History& begun, const configs::Experiment& experiment) {
  json record = {{"kind", "run"},
                 {"started_utc", begun.started_utc},
                 {"tag", begun.run_tag},
                 {"prune", begun.prune},
                 {"experiment", std::filesystem::absolute(experiment.file).string()},
                 {"name", experiment.name},
                 {"metric", experiment.metrics.front().name},
                 {"target", experiment.accept.target}};
  if (!begun.recording.empty()) record["recording"] = begun.recording;
  if (begun.inherited) record["inherited"] = *begun.inherited;
  for (const reports::Kept& one : begun.kept)
    record["kept"].push_back({{"family", one.family}, {"name", one.name}, {"needed_by", one.needed_by}});
  if (begun.by_hand) record["by_hand"] = true;
  if (begun.reference_only) record["reference_only"] = true;
  return record;
}

json versions_record(const std::map<std::string, std::string>& versions) {
  return {{"kind", "versions"}, {"versions", versions}};
}

json setup_record(const std::map<std::string, std::string>& files) { return {{"kind", "setup"}, {"files", files}}; }

json finished_record(const Conclusion& conclusion, double elapsed_s) {
  return {{"kind", "finished"}, {"elapsed_s", elapsed_s}, {"conclusion", json_of_conclusion(conclusion)}};
}

json session_record(double elapsed_s, const std::string& failure, std::optional<std::size_t> failed_trial) {
  json record = {{"kind", "session"}, {"elapsed_s", elapsed_s}, {"failure", failure}};
  if (failed_trial) record["failed_trial"] = *failed_trial;
  return record;
}

json checks_record(const std::vector<std::string>& differences) {
  return {{"kind", "checks"}, {"differences", differences}};
}

json catalogue_record(const neutralise::Catalogue& catalogue, bool exact) {
  json record = {{"kind", "suspects"}, {"members", json_of(catalogue.members())}, {"exact", exact}};
  if (!catalogue.always_on().empty()) record["always_on"] = json_of(catalogue.always_on());
  return record;
}

json descent_record(const PastDescent& descent) {
  return {{"kind", "descent"},
          {"opened", descent.opened},
          {"suspects", descent.scope},
          {"first_trial", descent.first_trial},
          {"end_trial", descent.end_trial},
          {"stayed", descent.stayed}};
}

json preferred_record(const std::vector<strategies::SuspectId>& fix) { return {{"kind", "preferred"}, {"fix", fix}}; }

json effect_record(const strategies::SuspectSet& seen) { return {{"kind", "effect"}, {"seen", set_key(seen)}}; }

}  // namespace bisectd::driver
