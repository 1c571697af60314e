#include "reports/progress.hpp"

#include "reports/outlook.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

TEST_CASE("a failure other than the level names its reason") {
  Record record = sample::culprits();
  record.trials[7].reason = "nan";
  CHECK(trial_line(record, record.trials[7], judged_count(record)) ==
        "[9] trial 8 certificate: all but ops:matmul_v2, flags:storage_format neutralised -> fail (nan, loss nan), 2.1 s");
}

TEST_CASE("each attempt under way has its line, in the order of the devices") {
  Record record = sample::unfinished();
  Trial& trial = record.trials[3];
  trial.attempts.front().device = "npu 10";
  trial.attempts.push_back(trial.attempts.front());
  trial.attempts.back().device = "npu 2";
  trial.attempts.back().delta = 0.01;
  trial.attempts.back().last_value = 7;
  trial.attempts.push_back(trial.attempts.front());
  trial.attempts.back().text = "exited 1";
  record.trials.push_back(trial);
  record.trials.back().attempts.clear();
  const auto lines = live_lines(record, 200, 9);
  REQUIRE(lines.size() == 5);
  CHECK(lines[1].rfind("  npu 2  trial 4 ", 0) == 0);
  CHECK(lines[1].find("loss 7 (+1.00 % so far)") != std::string::npos);
  CHECK(lines[2].rfind("  npu 10  trial 4 ", 0) == 0);
  CHECK(lines[2].find("so far") == std::string::npos);
  CHECK(lines[3].rfind("  trial 4 ", 0) == 0);
}

TEST_CASE("time left is the pace of the search times the trials left") {
  Record record = sample::unfinished();
  record.elapsed_s = 6 + 120;  // the search began with trial 3, at 6 s, and judged one trial in two minutes
  CHECK(time_left_s(record).value() == std::pair(480.0, 1080.0));
  record.trials.erase(record.trials.begin() + 2);
  CHECK_FALSE(time_left_s(record));
  record.answer.trials_left_high = 0;
  CHECK(left_text(record).empty());
}

TEST_CASE("the live lines and the status say that the answer is controlled, not how many trials are left") {
  Record record = sample::unfinished();
  record.trials.back().role = Role::control;
  CHECK(left_text(record) == "controls: what the answer rests on, once more");
  CHECK(live_lines(record, 200, 9).at(0).find("controls: what the answer rests on, once more") != std::string::npos);
  record.trials.back().running = false;
  CHECK(left_text(record).find("more trials") != std::string::npos);
}

TEST_CASE("the live lines never leave their columns and rows") {
  Record record = sample::unfinished();
  for (int i = 0; i < 7; ++i) record.trials.push_back(record.trials.back());
  CHECK(live_lines(record, 40, 9).at(1) == "  npu 0  trial 4 se...ep 20 of 60, 0.4 s");
  CHECK(live_lines(record, 200, 6).at(4) == "  and 5 more");
  for (std::size_t rows = 1; rows < 12; ++rows)
    CHECK(live_lines(record, 80, rows).size() == std::min<std::size_t>(rows, 10));
  for (std::size_t columns = 0; columns < 120; ++columns)
    for (const std::string& line : live_lines(record, columns, 9)) CHECK(line.size() <= columns);
  for (Name& name : record.suspects) name.name = "\xe7\xae\x97\xe5\xad\x90";  // two columns, three bytes each
  for (std::size_t columns = 0; columns < 120; ++columns)
    for (const std::string& line : live_lines(record, columns, 9)) CHECK(line.size() <= columns + columns / 2);
}

TEST_CASE("progress stays on one line, whatever a name holds") {
  for (const std::string& text : sample::hostile()) {
    Record record = sample::with(text);
    record.trials.back().running = true;
    auto lines = live_lines(record, 80, 20);
    lines.insert(lines.end(), {trial_line(record, record.trials[3], judged_count(record)), heartbeat_line(record)});
    for (const std::string& line : lines) CHECK(line.find_first_of("\x1b\n\r\t") == std::string::npos);
  }
}
