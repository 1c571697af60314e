#include "driver/record/past_results.hpp"

#include "driver/keep/run_directory.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "driver/keep/journal.hpp"
#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

using namespace bisectd;
using namespace bisectd::driver;

namespace {

PastResult sample(const std::string& model) {
  return {.utc = "2026-11-21T00:00:00Z",
          .model = model,
          .outcome = reports::Outcome::culprits,
          .metric = "loss",
          .delta = 0.03,
          .culprits = {{"ops", "pad3d"}},
          .versions = {{"cann", "8.3"}},
          .digest = "abc",
          .run_folder = "/out/x",
          .trials = 12,
          .elapsed_s = 34};
}

}  // namespace

TEST_CASE("results are read back in their order") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "history.jsonl";
  CHECK(read_results(file).empty());
  append_result(file, sample("a"));
  append_result(file, sample("b"));
  std::ofstream(file, std::ios::app) << "{\"torn";  // by a crash; the next result is written over it
  CHECK(read_results(file).size() == 2);
  append_result(file, sample("c"));
  const auto results = read_results(file);
  REQUIRE(results.size() == 3);
  CHECK(results[2].model == "c");
  CHECK(results[0].culprits.at(0).name == "pad3d");
  CHECK(results[0].delta == 0.03);
  CHECK(results[0].versions.at("cann") == "8.3");
  CHECK(results[0].trials == 12);
}

TEST_CASE("several writers lose nothing") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "history.jsonl";
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&] {
      for (int i = 0; i < 10; ++i) append_result(file, sample("m"));
    });
  for (std::thread& writer : writers) writer.join();
  CHECK(read_results(file).size() == 40);
}

TEST_CASE("a damaged file and one of a newer bisectd are refused with the line") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "history.jsonl";
  append_result(file, sample("a"));
  keep::Journal(file, std::filesystem::file_size(file)).append({{"format", 99}});
  CHECK_THROWS_WITH(read_results(file), Catch::Contains("history.jsonl:2: ") && Catch::Contains("newer bisectd"));
  std::ofstream(file) << "no json\n";
  CHECK_THROWS_AS(append_result(file, sample("b")), keep::JournalDamaged);
}

TEST_CASE("a file of somebody else is left as it is") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "notes.txt";
  for (const std::string text : {"my notes", "{\"mine\": 1}", "[1]", "my notes\n"}) {
    std::ofstream(file) << text;
    CHECK_THROWS_AS(append_result(file, sample("b")), keep::JournalDamaged);
    CHECK(keep::read_file(file) == text);
  }
}

TEST_CASE("the result of a record names culprits only where somebody is accused") {
  reports::Record record;
  record.suspects = {{"ops", "a"}, {"ops", "b"}};
  record.answer.culprit_set = {1};
  record.outcome = reports::Outcome::inconclusive;
  CHECK(result_of(record, "").culprits.empty());
  record.outcome = reports::Outcome::culprits;
  CHECK(result_of(record, "").culprits.at(0).name == "b");
  CHECK(result_of(record, "").outcome == reports::Outcome::culprits);
}

TEST_CASE("who was guilty before gets better odds, unless the experiment has odds of its own") {
  configs::Experiment experiment;
  experiment.suspects["ops"].likely["relu"] = {20, {}};
  PastResult past = sample("a");
  past.culprits = {{"ops", "pad3d"}, {"ops", "relu"}, {"flags", "gone"}};
  CHECK(raise_odds(experiment, {past, past}) == std::vector<std::string>{"ops:pad3d"});
  CHECK(experiment.suspects["ops"].likely.at("pad3d").value > 1);
  CHECK(experiment.suspects["ops"].likely.at("relu").value == 20);
  CHECK(experiment.suspects.size() == 1);
}
