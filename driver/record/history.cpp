#include "driver/record/history.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "driver/keep/journal.hpp"

namespace bisectd::driver {
namespace {

using nlohmann::json;

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

/// Applies records one by one.
class JournalReading {
 public:
  void operator()(const json& record) {
    const auto& kind = record.at("kind").get_ref<const std::string&>();
    if (trials_.take(record)) {
      if (kind == "attempt-started") history.failure.clear();
      if (kind == "trial")
        history.finished = false, history.conclusion.reset();  // more was asked, after changes or an outage
      history.elapsed_s = std::max(history.elapsed_s, trials_.elapsed_s);
    } else if (kind == "run") {
      history.started_utc = record.at("started_utc");
      history.run_tag = record.at("tag");
      history.prune = record.at("prune");
      history.by_hand = record.value("by_hand", false);
      history.reference_only = record.value("reference_only", false);
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
      if (const auto trial = record.find("failed_trial"); trial != record.end()) trials_.set_aside(*trial);
    } else if (kind == "checks") {
      history.differing_commands = record.at("differences").get<std::vector<std::string>>();
    } else if (kind == "suspects") {
      history.exact = record.at("exact");
      history.catalogue = neutralise::Catalogue(members_of(record.at("members")));
      history.catalogue->set_always_on(members_of(record.value("always_on", json::array())));
      history.effect_seen.resize(history.catalogue->size());
    } else if (kind == "descent") {
      history.descent = PastDescent{.opened = record.at("opened"),
                                    .scope = record.at("suspects"),
                                    .first_trial = record.at("first_trial"),
                                    .end_trial = record.at("end_trial"),
                                    .stayed = record.at("stayed")};
    } else if (kind == "preferred") {
      record.at("fix").get_to(history.preferred);
    } else if (kind == "effect") {
      history.effect_seen = strategies::SuspectSet(record.at("seen").get<std::string>());
    } else {
      throw std::invalid_argument("unknown kind of record: " + kind);
    }
  }

  History whole() && {
    history.trials = std::move(trials_.trials);
    history.order_judged = std::move(trials_.order_judged);
    return std::move(history);
  }

  History history;

 private:
  PastTrials trials_;
};

}  // namespace

History read_history(const std::filesystem::path& journal) {
  JournalReading replay;
  std::size_t line = 0;
  replay.history.whole_bytes = keep::read_journal(journal, [&](const json& record) {
    ++line;
    try {
      replay(record);
    } catch (const std::exception& error) {  // json's and our own: the record does not fit what this version writes
      throw keep::JournalDamaged(journal, line, error.what());
    }
  });
  if (line == 0)  // bisectd was killed between making the file and writing its first record, or this is another file
    throw keep::JournalDamaged(journal, 1, "there is no run in it; start the experiment anew");
  return std::move(replay).whole();
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
  if (begun.by_hand) record["by_hand"] = true;
  if (begun.reference_only) record["reference_only"] = true;
  return record;
}

json versions_record(const std::map<std::string, std::string>& versions) {
  return {{"kind", "versions"}, {"versions", versions}};
}

json finished_record(const reports::Record& record) {
  return {{"kind", "finished"}, {"elapsed_s", record.elapsed_s}, {"conclusion", json_of_conclusion(record)}};
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
