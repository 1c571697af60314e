#include "reports/progress.hpp"

#include "reports/outlook.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using bisectd::strategies::Verdict;

TEST_CASE("a line for every judged trial") {
  Record record = sample::unfinished();
  CHECK(trial_line(record, record.trials[0], judged_count(record)) ==
        "[ 3/~10] trial 1 reference -> pass (loss 0 %), 2.1 s; 4 to 9 more trials");
  CHECK(trial_line(record, record.trials[1], judged_count(record)) ==
        "[ 3/~10] trial 2 as-is: nothing neutralised -> fail (loss +3.10 %), 2.1 s; 4 to 9 more trials");
  record.why_more_trials = "trial 1 gave no verdict";
  CHECK(
      trial_line(record, record.trials[0], judged_count(record)) ==
      "[ 3/~10] trial 1 reference -> pass (loss 0 %), 2.1 s; 4 to 9 more trials, more than before: trial 1 gave no verdict");
  CHECK(left_text(record).starts_with("4 to 9 more trials, more than before: trial 1 gave no verdict, "));
  record.answer.trials_left_low = record.answer.trials_left_high = 0;
  CHECK(trial_line(record, record.trials[2], judged_count(record)) ==
        "[3] trial 3 everything: all 6 neutralised -> pass (loss +0.02 %), 2.1 s");
}

TEST_CASE("a trial without a verdict says why, and how often it was tried") {
  Record record = sample::culprits();
  Trial& trial = record.trials[3];
  trial.verdict = Verdict::unresolved;
  trial.reason = "killed by SIGKILL";
  trial.delta.reset();
  trial.attempts.push_back(trial.attempts.front());
  trial.attempts.back().started_s = 100;
  trial.neutralised = {0, 1, 2};
  CHECK(trial_line(record, trial, judged_count(record)) ==
        "[9] trial 4 search: ops:conv2d, ops:pad3d, ops:matmul_v2 neutralised -> unresolved (killed by SIGKILL), "
        "1 min 34 s in 2 attempts");
}

TEST_CASE("a failure other than the level names its reason") {
  Record record = sample::culprits();
  record.trials[7].reason = "nan";
  CHECK(trial_line(record, record.trials[7], judged_count(record)) ==
        "[9] trial 8 certificate: all but ops:matmul_v2, flags:storage_format neutralised -> fail (nan, loss nan), 2.1 s");
}

TEST_CASE("the heartbeat and the live lines show what runs") {
  Record record = sample::unfinished();
  CHECK(heartbeat_line(record) == "running for 8.4 s: trial 4 search (step 20 of 60, 0.4 s)");
  CHECK(live_lines(record, 200, 9) ==
        std::vector<std::string>{"[ 3/~10] running for 8.4 s; 4 to 9 more trials, 9.6 s to 21.6 s",
                                 "  npu 0  trial 4 search: ops:conv2d, ops:pad3d, ops:matmul_v2 neutralised: step 20 of "
                                 "60, 0.4 s",
                                 "  likely: ops:conv2d 10 %, ops:pad3d 10 %, ops:matmul_v2 10 %, flags:storage_format "
                                 "10 %"});
  record.answer.guilt = {0.01, 0.925, 0, 0.3, 0, 0};
  record.trials[3].attempts.front().delta = 0.0042;
  record.trials[3].attempts.front().last_value = 7.12345;
  record.trials[3].attempts.front().last_step.reset();
  const auto lines = live_lines(record, 200, 9);
  CHECK(lines.at(1) ==
        "  npu 0  trial 4 search: ops:conv2d, ops:pad3d, ops:matmul_v2 neutralised: loss 7.123 (+0.42 % "
        "so far), 0.4 s");
  CHECK(lines.at(2) == "  likely: ops:pad3d 92 %, flags:storage_format 30 %");
  record.trials[3].attempts.clear();
  CHECK(heartbeat_line(record) == "running for 8.4 s: trial 4 search (starting)");
  CHECK(heartbeat_line(sample::aligned()) == "running for 8.4 s");
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

TEST_CASE("phases are announced") {
  const Record record = sample::unfinished();
  CHECK(phase_line(record, Role::search) == "search: which of 6 suspects are guilty");
  CHECK(phase_line(record, Role::everything) == "everything: with all 6 suspects neutralised it should pass");
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
