#include "driver/record/history.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "driver/keep/journal.hpp"
#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

using namespace bisectd;
using namespace bisectd::driver;

TEST_CASE("what is journaled is read back") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  TrialPlan plan;
  plan.number = 3;
  plan.role = Role::certificate;
  plan.neutralised = strategies::Neutralised(strategies::SuspectSet(std::string("0110")));
  plan.reason = "why";
  plan.rungs = {{"scale", "64"}};
  AttemptOutcome outcome;
  outcome.trial = 3;
  outcome.number = 1;
  outcome.ending = Ending::whole;
  outcome.text = "stopped";
  outcome.started_s = 1.5;
  outcome.duration_s = 2.5;
  outcome.last_step = 100;
  outcome.step_time_s = 0.25;
  judge::Judgement judgement;
  judgement.verdict = strategies::Verdict::fail;
  judgement.reason = "level";
  judgement.delta = 0.03;
  judgement.metric = "loss";
  judgement.strict = true;
  judgement.comparable_until = 40;
  judgement.beside_as_is = {0.02, std::nullopt};
  judgement.spreads["loss"] = {1, 2, 3, 4, 5};
  {
    keep::Journal journal(file, 0);
    configs::Experiment experiment{.file = "/e.yaml", .name = "rec"};
    experiment.metrics.push_back({.name = "acc"});
    History begun;
    begun.started_utc = "2026-11-21T00:00:00Z";
    begun.run_tag = "tag";
    begun.prune = true;
    begun.kept = {{{"ops", "e"}, ""}, {{"flags", "f"}, "ops"}};
    journal.append(run_record(begun, experiment));
    neutralise::Catalogue catalogue({{"ops", "a"}, {"ops", "b"}, {"ops", "c"}, {"flags", "d", 20}});
    catalogue.set_always_on({{"ops", "stays", 1, "it draws"}});
    journal.append(catalogue_record(catalogue, true));
    journal.append(trial_record(plan));
    journal.append(attempt_started_record({.trial = 3, .number = 1}, 0.5, "npu 0"));
    journal.append(attempt_ended_record(outcome));
    journal.append(effect_record(strategies::SuspectSet(std::string("0010")), {{"ops:b", "why"}}));
    journal.append(judged_record(3, judgement));
    journal.append(refused_record(3, {2, 0}, {"", "no kernel"}));
    plan.number = 4;
    journal.append(trial_record(plan));
    journal.append(attempt_started_record({.trial = 4, .number = 1}, 0.5, "npu 0"));
  }
  const History history = read_history(file);
  CHECK(history.run_tag == "tag");
  CHECK(history.experiment_file == "/e.yaml");
  CHECK(history.prune);
  REQUIRE(history.kept.size() == 2);
  CHECK(history.kept[0].name == "e");
  CHECK(history.kept[1].needed_by == "ops");
  CHECK(history.name == "rec");
  CHECK(history.metric == "acc");
  CHECK(history.target == 0.005);
  CHECK_FALSE(history.finished);
  CHECK(history.elapsed_s == 4.0);
  REQUIRE(history.catalogue);
  CHECK((*history.catalogue)[3].odds == 20);
  REQUIRE(history.catalogue->always_on().size() == 1);
  CHECK(history.catalogue->always_on()[0].name == "stays");
  CHECK(history.catalogue->always_on()[0].stays_on == "it draws");
  CHECK(history.effect_seen.test(1));
  CHECK(history.still_on.at("ops:b") == "why");
  REQUIRE(history.trials.size() == 2);
  const PastTrial& past = history.trials[0];
  CHECK(past.role == Role::certificate);
  CHECK(past.neutralised == plan.neutralised);
  REQUIRE(past.attempts.size() == 1);
  CHECK(past.attempts[0].ending == Ending::whole);
  CHECK(past.attempts[0].last_step == 100);
  CHECK(past.attempts[0].step_time_s == 0.25);
  CHECK(past.rungs == neutralise::Rungs{{"scale", "64"}});
  CHECK(past.refused == std::vector<strategies::SuspectId>{2, 0});
  CHECK(past.refused_because == std::vector<std::string>{"", "no kernel"});
  REQUIRE(past.judgement);
  CHECK(judged_record(3, *past.judgement) == judged_record(3, judgement));
  CHECK((past.judgement->strict && past.judgement->comparable_until == 40));
  CHECK(past.judgement->spreads.at("loss").identical == 5);
  REQUIRE(past.judgement->beside_as_is);
  CHECK(past.judgement->beside_as_is->delta == 0.02);
  CHECK_FALSE(history.trials[1].judgement);
  CHECK_FALSE(history.trials[1].attempts[0].ending);
  CHECK(history.order_judged == std::vector<std::size_t>{0});
}

TEST_CASE("how a session ended is read back") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  Conclusion conclusion;
  conclusion.outcome = reports::Outcome::culprits;
  conclusion.advice = "advice";
  conclusion.warnings = {"warning"};
  conclusion.no_effect = {{2, "why"}};
  conclusion.workaround = {{"A", "1"}};
  conclusion.workaround_unset = {"B"};
  conclusion.answer.state = strategies::State::proved;
  conclusion.answer.culprit_set = {1};
  conclusion.answer.causes = {{0, 1}};
  conclusion.answer.certificate = {{strategies::Claim::Kind::member_needed,
                                    {1},
                                    strategies::Neutralised(strategies::SuspectSet(std::string("0110"))),
                                    strategies::Verdict::fail,
                                    20,
                                    true}};
  conclusion.answer.confidence = 0.995;
  conclusion.answer.guilt = {0.25, 1};
  conclusion.answer.explanation = "#1";
  conclusion.answer.hindrance = strategies::Hindrance::noise;
  conclusion.workaround_arguments = {"c=1"};
  conclusion.workaround_config = {{"npu.yaml", "fused", "false"}};
  keep::Journal journal(file, 0);
  journal.append(session_record(7, "the disk is gone", std::nullopt));
  CHECK(read_history(file).failure == "the disk is gone");
  journal.append(finished_record(conclusion, 9));
  const History history = read_history(file);
  CHECK(history.finished);
  CHECK(history.elapsed_s == 9);
  REQUIRE(history.conclusion);
  CHECK(finished_record(*history.conclusion, 9) == finished_record(conclusion, 9));
  CHECK(history.conclusion->no_effect.at(0).why == "why");
  CHECK(history.conclusion->workaround_unset == conclusion.workaround_unset);
}

TEST_CASE("records that cannot be are refused with their line") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  configs::Experiment experiment{.file = "/e.yaml", .name = "rec"};
  experiment.metrics.push_back({.name = "acc"});
  nlohmann::json of_another_bisectd = run_record({.run_tag = "tag"}, experiment);
  of_another_bisectd["format"] = 1;
  const nlohmann::json bad[] = {
      of_another_bisectd,
      {{"kind", "news"}},
      {{"kind", "judged"}, {"trial", 7}},
      {{"kind", "trial"}, {"trial", 1}, {"role", "king"}, {"neutralised", ""}, {"reason", ""}},
      {{"kind", "effect"}, {"seen", "0120"}},
      {{"kind", "trial"}, {"trial", 1}, {"role", "search"}, {"neutralised", "01x"}, {"reason", "why"}},
      {{"no", "kind"}}};
  for (const nlohmann::json& record : bad) {
    std::filesystem::remove(file);
    keep::Journal(file, 0).append(record);
    try {
      read_history(file);
      FAIL(record.dump());
    } catch (const keep::JournalDamaged& error) {
      CHECK(std::string(error.what()).find("journal.jsonl:1: ") != std::string::npos);
    }
  }
}

TEST_CASE("a conclusion has an outcome of a run that came to its end") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  Conclusion conclusion;
  CHECK_THROWS_AS(finished_record(conclusion, 9), std::logic_error);
  conclusion.outcome = reports::Outcome::aligned;
  nlohmann::json record = finished_record(conclusion, 9);
  record["conclusion"]["outcome"] = "infrastructure";
  keep::Journal(file, 0).append(record);
  CHECK_THROWS_AS(read_history(file), keep::JournalDamaged);
}

TEST_CASE("a trial that was started after the end of a run takes the end back") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  {
    keep::Journal journal(file, 0);
    configs::Experiment experiment{.file = "/e.yaml", .name = "rec"};
    experiment.metrics.push_back({.name = "acc"});
    journal.append(run_record({.run_tag = "tag"}, experiment));
    Conclusion conclusion;
    conclusion.outcome = reports::Outcome::inconclusive;
    journal.append(finished_record(conclusion, 9));
  }
  const History ended = read_history(file);
  CHECK(ended.finished);
  CHECK(ended.conclusion);
  TrialPlan plan;
  plan.number = 1;
  keep::Journal(file, ended.whole_bytes).append(trial_record(plan));
  const History reopened = read_history(file);
  CHECK_FALSE(reopened.finished);
  CHECK_FALSE(reopened.conclusion);
}

TEST_CASE("a probability that is no number does not damage the journal") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "journal.jsonl";
  {
    keep::Journal journal(file, 0);
    configs::Experiment experiment{.file = "/e.yaml", .name = "rec"};
    experiment.metrics.push_back({.name = "acc"});
    journal.append(run_record({.run_tag = "tag"}, experiment));
    TrialPlan plan;
    plan.number = 1;
    journal.append(trial_record(plan));
    judge::Judgement judgement;
    judgement.p_bad = std::nan("");
    judgement.signature = {0.5, std::nan("")};
    journal.append(judged_record(1, judgement));
  }
  const History history = read_history(file);
  REQUIRE(history.trials.size() == 1);
  REQUIRE(history.trials.front().judgement);
  CHECK(history.trials.front().judgement->p_bad == 0.5);
  CHECK(history.trials.front().judgement->signature.empty());
}
