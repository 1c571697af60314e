#include "reports/progress.hpp"

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using bisectd::strategies::Verdict;

TEST_CASE("a line for every judged trial") {
  Record record = sample::unfinished();
  CHECK(trial_line(record, record.trials[0]) == "[ 3/~10] trial 1 reference -> pass (loss 0 %), 2.1 s; 4 to 9 more trials");
  CHECK(trial_line(record, record.trials[1]) ==
        "[ 3/~10] trial 2 as-is: nothing neutralised -> fail (loss +3.10 %), 2.1 s; 4 to 9 more trials");
  record.answer.trials_left_low = record.answer.trials_left_high = 0;
  CHECK(trial_line(record, record.trials[2]) ==
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
  CHECK(trial_line(record, trial) ==
        "[9] trial 4 search: ops:conv2d, ops:pad3d, ops:matmul_v2 neutralised -> unresolved (killed by SIGKILL), "
        "1 min 34 s in 2 attempts");
}

TEST_CASE("a failure other than the level names its reason") {
  Record record = sample::culprits();
  record.trials[7].reason = "nan";
  CHECK(trial_line(record, record.trials[7]) ==
        "[9] trial 8 certificate: all but ops:matmul_v2, flags:storage_format neutralised -> fail (nan, loss nan), 2.1 s");
}

TEST_CASE("the heartbeat and the status line show what runs") {
  Record record = sample::unfinished();
  CHECK(heartbeat_line(record) == "running for 8.4 s: trial 4 search (step 20 of 60, 0.4 s)");
  CHECK(status_line(record, 200) ==
        "[ 3/~10]  trial 4 search: ops:conv2d, ops:pad3d, ops:matmul_v2 neutralised (step 20 of 60, 0.4 s)"
        "  4 to 9 more trials");
  record.trials[3].delta = 0.0042;
  record.trials[3].attempts.front().last_step.reset();
  CHECK(status_line(record, 200) ==
        "[ 3/~10]  trial 4 search: ops:conv2d, ops:pad3d, ops:matmul_v2 neutralised (0.4 s, loss +0.42 % so far)"
        "  4 to 9 more trials");
  record.trials[3].attempts.clear();
  CHECK(heartbeat_line(record) == "running for 8.4 s: trial 4 search (starting)");
  CHECK(heartbeat_line(sample::aligned()) == "running for 8.4 s");
}

TEST_CASE("the status line never leaves its columns") {
  Record record = sample::unfinished();
  CHECK(status_line(record, 40) == "[ 3/~10]  trial 4 s...4 to 9 more trials");
  for (std::size_t columns = 0; columns < 120; ++columns) CHECK(status_line(record, columns).size() <= columns);
  for (Name& name : record.suspects) name.name = "\xe7\xae\x97\xe5\xad\x90";  // two columns, three bytes each
  for (std::size_t columns = 0; columns < 120; ++columns)
    CHECK(status_line(record, columns).size() <= columns + columns / 2);
}

TEST_CASE("phases are announced") {
  const Record record = sample::unfinished();
  CHECK(phase_line(record, "search") == "search: which of 6 suspects are guilty");
  CHECK(phase_line(record, "everything") == "everything: with all 6 suspects neutralised it should pass");
  CHECK(phase_line(record, "something\x1b") == "something\\x1b");
}

TEST_CASE("progress stays on one line, whatever a name holds") {
  for (const std::string& text : sample::hostile()) {
    Record record = sample::with(text);
    record.trials.back().running = true;
    for (const std::string& line : {trial_line(record, record.trials[3]), heartbeat_line(record), status_line(record, 80)})
      CHECK(line.find_first_of("\x1b\n\r\t") == std::string::npos);
  }
}
