#include "driver/launch/batch_job.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include "driver/launch/slurm.hpp"
#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver::launch;
using namespace std::chrono_literals;

namespace {

using Standing = BatchJob::Standing;

const Clock::time_point kBegin = Clock::now();

/// A job of a scheduler that is never asked; its files are written by the test.
struct Submitted {
  explicit Submitted(bool adopt = false) : job(made(adopt)) {}
  ~Submitted() { std::filesystem::remove_all(folder); }
  Job made(bool adopt) {
    std::string name = (std::filesystem::temp_directory_path() / "bisectd-batch-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    return {.id = 7,
            .stdout_file = folder / "stdout.log",
            .tag = "run/0001-1",
            .scheduler = std::make_shared<Slurm>(configs::SlurmJobs{}),
            .adopt = adopt};
  }
  void writes(const char* file, const std::string& text) const { std::ofstream(folder / file) << text << "\n"; }
  void is_seen(SeenJob::Phase phase, const std::string& text, Clock::duration after) {
    const SeenJob seen{.phase = phase, .id = "17", .text = text};
    job.seen_as(&seen, kBegin + after);
  }

  std::filesystem::path folder;
  BatchJob job;
};

}  // namespace

TEST_CASE("batch job: its name is its tag, in characters that schedulers take") {
  CHECK(Submitted().job.name() == "bisectd-run.0001-1");
}

TEST_CASE("batch job: a submission that failed is looked for before the next, which is later and later") {
  Submitted of;
  CHECK(of.job.is_to_be_submitted(kBegin));
  of.job.not_taken(kBegin);
  CHECK(of.job.standing() == Standing::unsure);
  of.job.seen_as(nullptr, kBegin + 1s);
  CHECK(of.job.standing() == Standing::unsure);  // the scheduler may read its own queue in any order
  of.job.seen_as(nullptr, kBegin + 3s);
  CHECK(of.job.standing() == Standing::to_submit);
  CHECK_FALSE(of.job.is_to_be_submitted(kBegin + 4s));
  CHECK(of.job.is_to_be_submitted(kBegin + 5s));
  of.job.not_taken(kBegin + 5s);
  of.job.seen_as(nullptr, kBegin + 6s);
  CHECK(of.job.standing() == Standing::unsure);
  of.job.seen_as(nullptr, kBegin + 7s);
  CHECK_FALSE(of.job.is_to_be_submitted(kBegin + 14s));
  CHECK(of.job.is_to_be_submitted(kBegin + 15s));
  of.job.not_taken(kBegin + 15s);
  of.is_seen(SeenJob::Phase::waiting, "PENDING: Resources", 16s);  // it had reached the scheduler all the same
  CHECK(of.job.standing() == Standing::submitted);
  CHECK(of.job.id() == "17");
  CHECK(of.job.status().waits);
  CHECK(of.job.status().text == "job 17 PENDING: Resources");
}

TEST_CASE("batch job: an outcome may follow what the scheduler says; without one the job is lost") {
  for (const bool follows : {true, false}) {
    Submitted of;
    of.job.submitted_as("17");
    of.writes("job.started", "on n1");
    of.is_seen(SeenJob::Phase::gone, "NODE_FAIL on n1", 0s);
    CHECK_FALSE(of.job.look(kBegin + 14s));
    if (follows) of.writes("job.ended", "exited 0");
    const auto ended = of.job.look(kBegin + 16s);
    REQUIRE(ended);
    CHECK(ended->how == (follows ? Ended::How::exited : Ended::How::lost));
    if (!follows) CHECK(ended->message == "Slurm: NODE_FAIL on n1");
  }
}

TEST_CASE("batch job: the clock of one that may be over stands still") {
  Submitted adopted(true);
  adopted.writes("job.started", "on n1");
  CHECK_FALSE(adopted.job.look(kBegin));
  CHECK(adopted.job.status().waits);  // its scheduler was not asked yet
  adopted.is_seen(SeenJob::Phase::running, "RUNNING on n1", 1s);
  CHECK_FALSE(adopted.job.status().waits);
  CHECK(adopted.job.status().text == "on n1");
  adopted.is_seen(SeenJob::Phase::gone, "NODE_FAIL on n1", 2s);
  CHECK_FALSE(adopted.job.look(kBegin + 3s));
  CHECK(adopted.job.status().waits);
  CHECK(adopted.job.status().text == "job 17 NODE_FAIL on n1");
}

TEST_CASE("batch job: who terminated it, the scheduler says") {
  const auto end = [](SeenJob::Phase phase, const std::string& text) {
    Submitted of;
    of.job.submitted_as("17");
    of.writes("job.started", "on n1");
    of.is_seen(SeenJob::Phase::running, "RUNNING on n1", 0s);
    of.writes("job.ended", "terminated 0");
    CHECK_FALSE(of.job.look(kBegin + 1s));
    of.is_seen(phase, text, 2s);
    const auto ended = of.job.look(kBegin + 2s);
    REQUIRE(ended);
    return *ended;
  };
  CHECK(end(SeenJob::Phase::gone, "PREEMPTED").how == Ended::How::lost);
  CHECK(end(SeenJob::Phase::ended, "TIMEOUT").how == Ended::How::signalled);
  CHECK(end(SeenJob::Phase::ended, "TIMEOUT").code == SIGTERM);
}

TEST_CASE("batch job: one that is given up because it never ran did not start, and is not stopped by us") {
  Submitted of;
  of.job.submitted_as("17");
  CHECK_FALSE(of.job.waited_too_long(Clock::now() + 23h));
  CHECK(of.job.waited_too_long(Clock::now() + 25h));
  of.job.stop(kBegin, "waiting for Slurm: PENDING");
  const Ended ended = of.job.completed({.how = Ended::How::signalled, .code = SIGTERM});
  CHECK(ended.how == Ended::How::not_started);
  CHECK(ended.message == "waiting for Slurm: PENDING");
  CHECK_FALSE(ended.stopped);
  CHECK_FALSE(of.job.waited_too_long(Clock::now() + 25h));
}
