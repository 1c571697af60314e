#include "driver/launch/slurm.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/launch/job_script.hpp"
#include "driver/launch/queue.hpp"
#include "configs/shell_word.hpp"
#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver::launch;
namespace fs = std::filesystem;

namespace {

struct JobFolder {
  JobFolder() {
    std::string name = (fs::temp_directory_path() / "bisectd-job-XXXXXX").string();
    path = fs::path(::mkdtemp(name.data())) / "it's a folder";
    fs::create_directories(path);
  }
  ~JobFolder() { fs::remove_all(path.parent_path()); }
  std::string text(const char* name) const {
    std::ifstream stream(path / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  Job job(std::vector<std::string> command) const {
    return {.command = std::move(command),
            .environment = {{"PATH", "/usr/bin:/bin"}},
            .directory = path,
            .stdout_file = path / "stdout.log",
            .stderr_file = path / "stderr.log",
            .tag = "t"};
  }
  int run(const Job& job, const Scheduler& scheduler, const std::string& before = "") const {
    const auto script = write_job_script(job, scheduler, {{"GIVEN", "1"}});
    return std::system((before + "/bin/sh " + configs::shell_word(script.string())).c_str()) >> 8;
  }
  fs::path path;
};

configs::SlurmJobs jobs_with(const std::string& gres) { return {.gres = configs::Placed<std::string>{gres, {}}}; }

}  // namespace

TEST_CASE("slurm: the argv of a submission") {
  configs::SlurmJobs settings = jobs_with("npu:2");
  settings.partition = configs::Placed<std::string>{"a b", {}};
  settings.time = std::chrono::minutes{2};
  settings.arguments = {{"--account=x y", {}}};
  const auto argv = Slurm(settings).submit("name", "/f", "/f/batch.sh", true);
  CHECK(argv.front() == "sbatch");
  CHECK(argv.back() == "/f/batch.sh");
  for (const char* option : {"--parsable", "--no-requeue", "--job-name=name", "--gres=npu:2", "--partition=a b", "--time=2",
                             "--account=x y", "--test-only", "--output=/f/job.log"})
    CHECK(std::ranges::count(argv, option) == 1);
  CHECK(std::ranges::count(Slurm(settings).submit("name", "/f", "/f/b", false), "--test-only") == 0);
}

TEST_CASE("slurm: the id in what sbatch prints, also with a cluster and a site's own words") {
  const Slurm slurm{{}};
  CHECK(slurm.id_in("17\n").value() == "17");
  CHECK(slurm.id_in("18;cluster\n").value() == "18");
  CHECK(slurm.id_in("Welcome to 2026!\nno 4 nodes\n19\n").value() == "19");
  CHECK_FALSE(slurm.id_in("Submitted batch job x\n").has_value());
  CHECK_FALSE(slurm.id_in("").has_value());
}

TEST_CASE("slurm: what the states of jobs mean") {
  using Phase = SeenJob::Phase;
  const auto jobs = Slurm{{}}.jobs_in(
      "1|PENDING||Resources|a\n2|RUNNING|n1|None|b\nsome "
      "warning\n3|NODE_FAIL|n2|None|c\n4|PREEMPTED|n1|None|d\n5|TIMEOUT|n1|TimeLimit|e\n"
      "6|COMPLETED|n1|None|f\n7|CANCELLED||None|g\n8|OUT_OF_MEMORY|n1|OutOfMemory|h\n9|A_STATE_OF_2030|n1|None|i\n10|"
      "SUSPENDED|n1|None|j|k\n");
  REQUIRE(jobs.size() == 9);
  CHECK(jobs.at("a").phase == Phase::waiting);
  CHECK(jobs.at("a").text == "PENDING: Resources");
  CHECK(Slurm{{}}.jobs_in("1|PENDING||PartitionTimeLimit|a\n").at("a").text ==
        "PENDING: PartitionTimeLimit, which does not end by itself");
  CHECK(jobs.at("b").phase == Phase::running);
  CHECK(jobs.at("b").text == "RUNNING on n1");
  for (const char* name : {"c", "d", "f", "g", "i"}) CHECK(jobs.at(name).phase == Phase::gone);
  CHECK(jobs.at("c").text == "NODE_FAIL on n2");
  for (const char* name : {"e", "h"}) CHECK(jobs.at(name).phase == Phase::ended);
  for (const char* twice : {"1|RUNNING|n1|None|a\n2|PENDING||Priority|a\n", "2|PENDING||Priority|a\n1|RUNNING|n1|None|a\n",
                            "1|RUNNING|n1|None|a\n2|FAILED|n1|None|a\n", "2|FAILED|n1|None|a\n1|RUNNING|n1|None|a\n"})
    CHECK(Slurm{{}}.jobs_in(twice).at("a").id == "1");
}

TEST_CASE("a job's script starts exactly what it is told, and writes how that ended") {
  const JobFolder folder;
  const std::vector<std::string> odd{"a b",  "$(touch hacked)", "`x`", "it's",         "\"", "\\", "*",
                                     "a\nb", "a\r\nb",          "",    "#SBATCH -a 1", "-n"};
  std::vector<std::string> command{"/usr/bin/printf", "[%s]"};
  command.insert(command.end(), odd.begin(), odd.end());
  CHECK(folder.run(folder.job(command), Slurm{{}}) == 0);
  std::string expected;
  for (const std::string& word : odd) expected += "[" + word + "]";
  CHECK(folder.text("stdout.log") == expected);
  CHECK(folder.text("batch.sh").find('\r') == std::string::npos);
  CHECK(job_started(folder.path)->place.starts_with("on "));
  CHECK(job_outcome(folder.path)->how == JobOutcome::How::exited);
  CHECK(job_outcome(folder.path)->code == 0);
  CHECK_FALSE(fs::exists(folder.path / "hacked"));
  CHECK(folder.run(folder.job(command), Slurm{{}}) == 1);  // a scheduler that starts it a second time
  CHECK(job_outcome(folder.path)->how == JobOutcome::How::started_twice);
}

TEST_CASE("a job that was submitted twice trains once, and the second leaves no outcome") {
  const JobFolder folder;
  const Job job = folder.job({"sh", "-c", "echo trained >> count; exit 3"});
  CHECK(folder.run(job, Slurm{{}}, "SLURM_JOB_ID=17 ") == 3);
  CHECK(job_started(folder.path)->place.starts_with("on "));
  CHECK(folder.run(job, Slurm{{}}, "SLURM_JOB_ID=18 ") == 1);
  CHECK(folder.text("count") == "trained\n");
  CHECK(job_outcome(folder.path)->code == 3);
  fs::remove(folder.path / "job.ended");  // the first still trains
  CHECK(folder.run(job, Slurm{{}}, "SLURM_JOB_ID=18 ") == 1);
  CHECK_FALSE(job_outcome(folder.path));
  CHECK(folder.run(job, Slurm{{}}, "SLURM_JOB_ID=17 ") == 1);  // its scheduler starts the same job again
  CHECK(job_outcome(folder.path)->how == JobOutcome::How::started_twice);
}

TEST_CASE("a job's script tells exits, signals, a missing folder, and an end from outside apart") {
  const JobFolder folder;
  const auto ends = [&](std::vector<std::string> command, const std::string& before = "") {
    fs::remove(folder.path / "job.started");
    (void)folder.run(folder.job(std::move(command)), Slurm{{}}, before);
    return *job_outcome(folder.path);
  };
  CHECK(ends({"sh", "-c", "exit 7"}).code == 7);
  CHECK(ends({"nothere"}).code == 127);
  const JobOutcome killed = ends({"sh", "-c", "kill -9 $$"});
  CHECK(killed.how == JobOutcome::How::signalled);
  CHECK(killed.code == 9);
  // The job's process is the training's parent; the training leaves with 0 on TERM.
  const JobOutcome terminated = ends({"sh", "-c", "trap 'exit 0' TERM; kill -TERM $PPID; while :; do sleep 0.1; done"});
  CHECK(terminated.how == JobOutcome::How::terminated);
  Job elsewhere = folder.job({"true"});
  elsewhere.directory = "/nothere";
  fs::remove(folder.path / "job.started");
  CHECK(folder.run(elsewhere, Slurm{{}}) == 1);
  CHECK(job_outcome(folder.path)->how == JobOutcome::How::not_started);
  CHECK(job_outcome(folder.path)->message.find("is not on") != std::string::npos);
}

TEST_CASE("a job gets its devices from what Slurm says on the node") {
  const JobFolder folder;
  fs::create_directories(folder.path / "bin");
  const auto with = [&](const std::string& gres) {
    std::ofstream(folder.path / "bin/scontrol")
        << "#!/bin/sh\necho '   JOB_GRES=npu:4'\necho '  Nodes=n1 CPU_IDs=0 Mem=200 GRES=" << gres << "'\n";
    fs::permissions(folder.path / "bin/scontrol", fs::perms::owner_all);
    fs::remove(folder.path / "job.started");
    Job job =
        folder.job({"sh", "-c", "echo $ASCEND_RT_VISIBLE_DEVICES $GIVEN $0", device_of_job(1) + "," + device_of_job(0)});
    job.device_variable = "ASCEND_RT_VISIBLE_DEVICES";
    (void)folder.run(job, Slurm(jobs_with("npu:4")),
                     "PATH=" + configs::shell_word((folder.path / "bin").string()) + ":$PATH GIVEN=1 ");
    return folder.text("stdout.log");
  };
  CHECK(with("npu:4(IDX:0-2,5)") == "0,1,2,5 1,0\n");
  CHECK(with("gpu:1(IDX:7),npu:910b:2(IDX:10,12)") == "10,12 12,10\n");
  CHECK(job_started(folder.path)->place.starts_with("10,12 on "));
  with("npu:2");
  CHECK(job_outcome(folder.path)->how == JobOutcome::How::not_started);
  CHECK(job_outcome(folder.path)->message.find("gres.conf") != std::string::npos);
}

TEST_CASE("secrets are not in a job's script but come to the training, nor are variables of the session's own job") {
  const JobFolder folder;
  Job job = folder.job({"sh", "-c", "echo \"$API_TOKEN $http_proxy $1 $3 $BISECTD_SECRET_4\"", "sh", "--token=s3cret1",
                        "--password", "s3cret2"});
  job.environment["API_TOKEN"] = "s3cret3";
  job.environment["http_proxy"] = "http://me:s3cret4@proxy";
  job.environment["SLURM_JOB_ID"] = "77";
  std::string before;
  for (const auto& [name, value] : secrets_of(job)) before += "export " + name + "=" + configs::shell_word(value) + "; ";
  CHECK(folder.run(job, Slurm{{}}, before) == 0);
  CHECK(folder.text("stdout.log") == "s3cret3 http://me:s3cret4@proxy --token=s3cret1 s3cret2 \n");
  CHECK(folder.text("job.sh").find("s3cret") == std::string::npos);
  CHECK(folder.text("job.sh").find("77") == std::string::npos);
}
