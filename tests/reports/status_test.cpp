#include "reports/status.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using nlohmann::json;

TEST_CASE("the status of a running run") {
  const std::string text = status_text(sample::unfinished(), 42);
  CHECK(text.find("rec: running (process 42)\n[ 3/~10] running for 8.4 s; 4 to 9 more trials") == 0);
  CHECK(text.find("last judged: trial 3 everything: all 6 neutralised -> pass (loss +0.02 %), 2.1 s\n") !=
        std::string::npos);
  const json status = json::parse(status_json(sample::unfinished(), 42));
  CHECK(status.at("state") == "running");
  CHECK(status.at("process") == 42);
  CHECK(status.at("trials_judged") == 3);
  CHECK(status.at("trials_left") == json::parse(R"({"low": 4.0, "high": 9.0})"));
  CHECK(status.at("running").at(0).at("step") == 20);
  CHECK(status.at("running").at(0).at("device") == "npu 0");
  CHECK(status.at("likely").at(0).at("name") == "conv2d");
}

TEST_CASE("the status of a run that nobody drives says how to go on") {
  Record record = sample::unfinished();
  record.trials.pop_back();
  CHECK(status_text(record, {}).find("rec: interrupted\nNot finished: 4 to 9 more trials.") == 0);
  CHECK(status_text(record, {}).find("go on with: bisectd resume '/home/user/out/rec-20261121T120000Z'\n") !=
        std::string::npos);
  record.outcome = Outcome::infrastructure;
  record.advice = "the disk is gone";
  CHECK(status_text(record, {}).find("rec: failed\nNo answer: ") == 0);
  CHECK(status_text(record, {}).find("the disk is gone") != std::string::npos);
  CHECK(json::parse(status_json(record, {})).at("state") == "failed");
}

TEST_CASE("the status of a finished run says its answer") {
  const std::string text = status_text(sample::culprits(), {});
  CHECK(text.find("rec: finished\nops:pad3d and flags:storage_format make loss leave the reference") == 0);
  CHECK(text.find("resume") == std::string::npos);
  const json status = json::parse(status_json(sample::culprits(), {}));
  CHECK(status.at("outcome") == "culprits");
  CHECK(status.at("trials_left").is_null());
}

TEST_CASE("hostile text stays harmless in a status") {
  for (const std::string& text : sample::hostile()) {
    Record record = sample::with(text);
    record.finished = false;
    record.trials.back().running = true;
    for (const std::optional<int> process : {std::optional<int>(), std::optional(1)}) {
      CHECK(status_text(record, process).find_first_of("\x1b\a\r") == std::string::npos);
      CHECK(json::accept(status_json(record, process)));
    }
  }
}
