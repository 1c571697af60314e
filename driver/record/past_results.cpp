#include "driver/record/past_results.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>
#include <set>

#include "configs/resolved.hpp"
#include "driver/keep/journal.hpp"
#include "driver/keep/lock.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/record/setup_files.hpp"
#include "driver/trial/journaled.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {

BOOST_DESCRIBE_STRUCT(PastResult, (),
                      (utc, model, outcome, metric, delta, culprits, versions, digest, run_folder, trials, elapsed_s))

namespace {

using nlohmann::json;

constexpr int kFormat = 2;

/// A wrong hint costs one or two trials, a right one saves a quarter of them: worth no more than this.
constexpr double kOddsOfPastCulprits = 5;

PastResult result_in(const json& record) {
  if (const int format = keep::whole_number<int>(record.at("format")); format != kFormat)
    throw std::invalid_argument(fmt::format("it was written by {} bisectd", format > kFormat ? "a newer" : "an older"));
  return keep::read_as<PastResult>(record);
}

json record_of(const PastResult& result) {
  json record = keep::written(result);
  record["format"] = kFormat;
  return record;
}

std::uintmax_t read_records(const std::filesystem::path& file, std::vector<PastResult>& results) {
  std::size_t line = 0;
  return keep::read_journal(file, [&](const json& record) {
    ++line;
    try {
      results.push_back(result_in(record));
    } catch (const std::exception& error) {
      throw keep::JournalDamaged(file, line, error.what());
    }
  });
}

std::string text_of_recording(const configs::Experiment& experiment) {
  std::string text;
  for (const auto& file : experiment.reference.curves) text += keep::read_file(file.value);
  return text;
}

std::string digest_of(const std::string& text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace

PastResult result_of(const reports::Record& record, const std::string& digest) {
  PastResult result{.utc = record.started_utc,
                    .model = record.experiment,
                    .outcome = record.outcome,
                    .metric = record.metric,
                    .versions = record.versions,
                    .digest = digest,
                    .run_folder = record.run_folder,
                    .trials = record.trials.size(),
                    .elapsed_s = record.elapsed_s};
  if (const reports::Trial* as_is = reports::as_is_trial(record)) {
    result.metric = reports::deciding_metric(record, as_is);
    result.delta = as_is->decided_by ? as_is->decided_by->delta : as_is->delta;
  }
  if (record.outcome == reports::Outcome::culprits)
    for (const std::size_t id : record.answer.culprit_set) result.culprits.push_back(record.suspects.at(id));
  return result;
}

void append_result(const std::filesystem::path& file, const PastResult& result) {
  const keep::WriteLock lock(file);
  std::vector<PastResult> ignored;
  const std::uintmax_t whole_bytes = read_records(file, ignored);
  keep::Journal(file, whole_bytes).append(record_of(result));
}

std::vector<PastResult> read_results(const std::filesystem::path& file) {
  std::vector<PastResult> results;
  if (std::filesystem::exists(file)) read_records(file, results);
  // A run that was resumed is written behind those that began after it.
  std::ranges::stable_sort(results, {}, &PastResult::utc);
  return results;
}

std::string digest_of(const configs::Experiment& experiment, const std::map<std::string, std::string>& of_shell) {
  std::string text = configs::resolved_yaml(experiment) + text_of_recording(experiment);
  for (const auto& [name, value] : of_shell) text += name + "=" + value + "\n";
  for (const auto& [name, digest] : setup_files(experiment)) text += name + ":" + digest + "\n";
  return digest_of(text);
}

std::string digest_of_recording(const configs::Experiment& experiment) {
  return experiment.reference.is_recorded() ? digest_of(text_of_recording(experiment)) : "";
}

std::vector<std::string> raise_odds(configs::Experiment& experiment, const std::vector<PastResult>& results) {
  std::set<std::string> raised;
  for (const PastResult& result : results)
    for (const reports::Name& name : result.culprits) {
      const auto selection = experiment.suspects.find(name.family);
      if (selection == experiment.suspects.end()) continue;
      const bool is_new =
          selection->second.likely.try_emplace(name.name, configs::Placed<double>{kOddsOfPastCulprits, {}}).second;
      if (is_new) raised.insert(name.family + ":" + name.name);
    }
  return {raised.begin(), raised.end()};
}

}  // namespace bisectd::driver
