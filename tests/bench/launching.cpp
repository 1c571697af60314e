// What LocalLauncher adds to a trial: the same command started N times by it and by a bare fork, exec and wait, in turn
// and in the same run, so that both see the same machine. Prints a table; exits 1 when a target is missed.
//
//   bench_launching [STARTS] [TRAINER]    1000 starts, hostile_trainer beside this program
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/launch/local.hpp"

namespace {

using namespace bisectd::driver::launch;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr double kTargetMs = 5, kAimMs = 1;

struct Sample {
  std::vector<double> ms;
  void add(Clock::time_point start) {
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  double mean() const {
    double sum = 0;
    for (const double value : ms) sum += value;
    return sum / static_cast<double>(ms.size());
  }
  double quantile(double share) {
    std::sort(ms.begin(), ms.end());
    return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
  }
};

/// In a session of its own, like a job: a busy Linux shares the processors out by session (autogroup), and would else
/// give the two loops different places in its queue: tens of ms either way, whoever launches.
void bare(const Words& words, const std::filesystem::path& folder) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    for (const int fd : {1, 2}) ::dup2(::open((folder / "bare").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), fd);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::waitpid(pid, nullptr, 0);
}

void launched(LocalLauncher& launcher, Job& job) {
  ++job.id;
  launcher.start(job);
  const auto ended = launcher.wait(std::chrono::minutes{1});
  if (ended.size() != 1 || ended[0].how != Ended::How::exited) {
    fmt::print(stderr, "the job did not run: {}\n", ended.empty() ? "no end" : ended[0].message);
    std::exit(2);
  }
}

/// `other` is a job that runs all the while: then the launcher must tell its processes from those of the job that ended.
bool measure(const std::string& name, const Words& words, int starts, const std::filesystem::path& folder, bool other) {
  LocalLauncher launcher;
  Job job;
  job.command = words;
  job.environment = {{"PATH", "/usr/bin:/bin"}};
  job.directory = folder;
  job.stdout_file = folder / "out";
  job.stderr_file = folder / "err";
  job.tag = "bench/1";
  Job sleeper = job;
  sleeper.command = {"sleep", "600"};
  if (other) launcher.start(sleeper);
  Sample with, without;
  for (int i = 0; i < starts; ++i) {
    auto start = Clock::now();
    bare(words, folder);
    without.add(start);
    start = Clock::now();
    launched(launcher, job);
    with.add(start);
  }
  // The medians decide: on a busy machine the means tell who was scheduled when.
  const double overhead = with.quantile(0.5) - without.quantile(0.5);
  fmt::print("{:<30} {:>7} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}   {}\n", name, starts,
             without.quantile(0.5), with.quantile(0.5), overhead, kTargetMs, kAimMs, with.mean() - without.mean(),
             with.quantile(0.99) - without.quantile(0.99), overhead <= kTargetMs ? "met" : "MISSED");
  return overhead <= kTargetMs;
}

}  // namespace

int main(int argc, char** argv) {
  const int starts = argc > 1 ? std::atoi(argv[1]) : 1000;
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string trainer = argc > 2 ? argv[2] : (here / "hostile_trainer").string();
  std::string name = (std::filesystem::temp_directory_path() / "bisectd-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());

  fmt::print("{:<30} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "ms per launch (medians)", "starts",
             "bare", "launcher", "overhead", "target <=", "aim <", "by mean", "at p99");
  bool met = measure("/bin/true", {"/bin/true"}, starts, folder, false);
  met = measure("/bin/true beside another job", {"/bin/true"}, starts, folder, true) && met;
  met = measure("hostile_trainer, 100 steps", {trainer, "--generate", "64"}, starts, folder, false) && met;
  std::filesystem::remove_all(folder);
  return met ? 0 : 1;
}
