#include "driver/record/history.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>

#include "driver/keep/journal.hpp"
#include "driver/trial/journaled.hpp"

namespace bisectd::driver {

using nlohmann::json;

namespace neutralise {
BOOST_DESCRIBE_STRUCT(Member, (), (family, name, odds, stays_on))
}
BOOST_DESCRIBE_STRUCT(Begun, (),
                      (started_utc, run_tag, by_hand, reference_only, prune, kept, experiment_file, name, metric, target,
                       recording, inherited))

namespace {
constexpr int kJournalFormat = 3;  ///< of a journal; another one is refused

/// Of a run that came to its end; the others are of one that has not.
bool is_a_conclusion(reports::Outcome outcome) {
  return outcome != reports::Outcome::unfinished && outcome != reports::Outcome::infrastructure;
}
}  // namespace

void History::take(const json& record) {
  const auto& kind = record.at("kind").get_ref<const std::string&>();
  if (take_trial(record)) {
    if (kind == "attempt-started") failure.clear();
    if (kind == "trial") finished = false, conclusion.reset();  // more was asked, after changes or an outage
  } else if (kind == "run") {
    if (const json format = record.value("format", json(1)); format != kJournalFormat)
      throw std::invalid_argument(
          fmt::format("another bisectd began it (format {}, this one has {}): go on with that one, or begin anew",
                      format.dump(), kJournalFormat));
    keep::read<Begun>(record, *this);
  } else if (kind == "versions") {
    keep::read(record.at("versions"), versions);
  } else if (kind == "setup") {
    keep::read(record.at("files"), setup_files);
  } else if (kind == "finished") {
    finished = true;
    keep::read(record.at("elapsed_s"), elapsed_s);
    conclusion = keep::read_as<Conclusion>(record.at("conclusion"));
    if (!is_a_conclusion(conclusion->outcome)) throw std::invalid_argument("an outcome that no conclusion has");
  } else if (kind == "session") {
    keep::read(record.at("elapsed_s"), elapsed_s);
    keep::read(record.at("failure"), failure);
    if (!failure.empty()) finished = false, conclusion.reset();  // what the answer rests on is not there any more
    if (const auto trial = record.find("failed_trial"); trial != record.end()) set_aside(keep::whole_number(*trial));
  } else if (kind == "checks") {
    keep::read(record.at("differences"), differing_commands);
  } else if (kind == "suspects") {
    keep::read(record.at("exact"), exact);
    catalogue = neutralise::Catalogue(keep::read_as<std::vector<neutralise::Member>>(record.at("members")));
    catalogue->set_always_on(keep::read_as<std::vector<neutralise::Member>>(record.at("always_on")));
    effect_seen.resize(catalogue->size());
    for (PastTrial& trial : trials) trial.neutralised.resize(catalogue->size());  // of before they were known
  } else if (kind == "descent") {
    descent = keep::read_as<reports::Descent>(record);
  } else if (kind == "effect") {
    keep::read(record.at("seen"), effect_seen);
    if (const auto why = record.find("still_on"); why != record.end()) keep::read(*why, still_on);
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

const Attempt* last_ended(const PastTrial& trial) {
  for (const Attempt& attempt : trial.attempts | std::views::reverse)
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

json run_record(Begun begun, const configs::Experiment& experiment) {
  begun.experiment_file = std::filesystem::absolute(experiment.file).string();
  begun.name = experiment.name;
  begun.metric = experiment.metrics.front().name;
  begun.target = experiment.accept.target;
  json record = keep::record("run", begun);
  record["format"] = kJournalFormat;
  return record;
}

json versions_record(const std::map<std::string, std::string>& versions) {
  return {{"kind", "versions"}, {"versions", versions}};
}

json setup_record(const std::map<std::string, std::string>& files) { return {{"kind", "setup"}, {"files", files}}; }

json finished_record(const Conclusion& conclusion, double elapsed_s) {
  if (!is_a_conclusion(conclusion.outcome)) throw std::logic_error("an outcome that no conclusion has");
  return {{"kind", "finished"}, {"elapsed_s", elapsed_s}, {"conclusion", keep::written(conclusion)}};
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
  return {{"kind", "suspects"},
          {"members", keep::written(catalogue.members())},
          {"always_on", keep::written(catalogue.always_on())},
          {"exact", exact}};
}

json descent_record(const reports::Descent& descent) { return keep::record("descent", descent); }

json effect_record(const strategies::SuspectSet& seen, const std::map<std::string, std::string>& still_on) {
  return {{"kind", "effect"}, {"seen", keep::written(seen)}, {"still_on", still_on}};
}

}  // namespace bisectd::driver
