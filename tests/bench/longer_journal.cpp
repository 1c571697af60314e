// Makes a finished run's journal as long as a very long night: adds N search trials of random sets, judged as a single
// culprit would have them judged, before its last record.
//   longer_journal RUN_DIRECTORY N CULPRIT       (CULPRIT: the suspect's number)
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "driver/keep/journal.hpp"
#include "driver/record/history.hpp"
#include "strategies/random.hpp"

using namespace bisectd;
using namespace bisectd::driver;

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path file = std::filesystem::path(argv[1]) / "journal.jsonl";
  const History history = read_history(file);
  std::vector<nlohmann::json> records;
  keep::read_journal(file, [&](nlohmann::json record) {
    record.erase("sum");
    records.push_back(std::move(record));
  });
  std::filesystem::remove(file);
  keep::Journal journal(file, 0);
  for (std::size_t i = 0; i + 1 < records.size(); ++i) journal.write(records[i]);
  strategies::Random random(1);
  std::size_t number = history.trials.back().number;
  for (long left = std::atol(argv[2]); left > 0; --left) {
    TrialPlan plan;
    plan.number = ++number;
    plan.neutralised.resize(history.catalogue->size());
    for (std::size_t id = 0; id < plan.neutralised.size(); ++id) plan.neutralised.set(id, random.below(2) == 1);
    const bool passes = plan.neutralised.test(std::strtoul(argv[3], nullptr, 10));
    AttemptOutcome outcome;
    outcome.trial = number;
    outcome.ending = Ending::finished;
    outcome.text = "exited 0";
    outcome.last_step = 100;
    judge::Judgement judgement;
    judgement.verdict = passes ? strategies::Verdict::pass : strategies::Verdict::fail;
    judgement.reason = "level";
    judgement.delta = passes ? 0 : 0.03;
    judgement.p_bad = passes ? 0 : 1;
    journal.write(trial_record(plan));
    journal.write(attempt_started_record({.trial = number, .number = 1}, 0.5, "npu 0"));
    journal.write(attempt_ended_record(outcome));
    journal.write(judged_record(number, judgement));
  }
  journal.append(records.back());
}
