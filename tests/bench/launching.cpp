// What LocalLauncher adds to a trial: the same command started N times by it and by a bare fork, exec and wait, in turn
// and in the same run, so that both see the same machine. Prints a table; exits 1 when a target is missed.
//
//   bench_launching [STARTS] [TRAINER]    1000 starts, hostile_trainer beside this program
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
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

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Processor time that this process has used, in ms: what the launcher costs however busy the machine is.
double processor_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

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
  std::vector<double> with, without, overhead, processor;
  for (int i = 0; i < starts; ++i) {
    const double used = processor_ms();
    auto start = Clock::now();
    bare(words, folder);
    without.push_back(ms_since(start));
    const double used_bare = processor_ms() - used;
    start = Clock::now();
    launched(launcher, job);
    with.push_back(ms_since(start));
    processor.push_back(processor_ms() - used - 2 * used_bare);
    overhead.push_back(with.back() - without.back());
  }
  // The median over pairs decides: both of a pair see the same machine.
  const double decides = quantile(overhead, 0.5);
  fmt::print("{:<30} {:>7} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}   {}\n", name, starts,
             quantile(without, 0.5), quantile(with, 0.5), decides, kTargetMs, kAimMs, quantile(processor, 0.5),
             decides <= kTargetMs ? "met" : "MISSED");
  return decides <= kTargetMs;
}

}  // namespace

int main(int argc, char** argv) {
  const int starts = argc > 1 ? std::atoi(argv[1]) : 1000;
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string trainer = argc > 2 ? argv[2] : (here / "hostile_trainer").string();
  std::string name = (std::filesystem::temp_directory_path() / "bisectd-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());

  fmt::print("{:<30} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "ms per launch (medians)", "starts", "bare",
             "launcher", "overhead", "target <=", "aim <", "processor");
  bool met = measure("/bin/true", {"/bin/true"}, starts, folder, false);
  met = measure("/bin/true beside another job", {"/bin/true"}, starts, folder, true) && met;
  met = measure("hostile_trainer, 100 steps", {trainer, "--generate", "64"}, starts, folder, false) && met;
  std::filesystem::remove_all(folder);
  return met ? 0 : 1;
}
