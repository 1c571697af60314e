// A job is a small state machine: running -> (leader gone, leftovers) -> reported. `tend` moves it on; it is called
// when the leader ends, when stop() is called and by the job's timer.
#include "driver/launch/local.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "driver/launch/orphans.hpp"
#include "driver/launch/pauses.hpp"
#include "driver/launch/process.hpp"
#include "driver/launch/strays.hpp"
#include "driver/log/log.hpp"

namespace bisectd::driver::launch {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto kLinger = 500ms;  // for what a leader leaves behind, before SIGKILL
constexpr auto kGiveUp = 5s;     // for the kernel to end what got SIGKILL
constexpr auto kShortestPoll = 1ms, kLongestPoll = 32ms;
constexpr auto kNever = Clock::time_point::max();

struct Running {
  Running(const Job& job_, std::unique_ptr<Process> process_, asio::io_context& context)
      : job(job_), process(std::move(process_)), timer(context) {}

  Job job;
  std::unique_ptr<Process> process;  // the leader
  asio::steady_timer timer;
  Clock::time_point started = Clock::now();
  std::optional<Ended> ended;          // set once the leader is gone
  Clock::time_point kill_at = kNever;  // SIGKILL from here on
  Clock::time_point look_again_until;  // for orphans that could be its own; set with `ended`
  std::chrono::milliseconds pause = kShortestPoll;
  bool stopped = false;
  bool killed = false;
  bool reported = false;
};

/// What is known of every job that ends now.
Ended end_of(const Running& running) {
  Ended ended;
  ended.id = running.job.id;
  ended.stopped = running.stopped;
  ended.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - running.started);
  return ended;
}

std::string names(const Orphans::Left& left) {
  if (left.own.empty()) return "processes that each fork and end";
  std::string text;
  for (const pid_t pid : left.own) text += fmt::format("{}{} (process {})", text.empty() ? "" : ", ", name_of(pid), pid);
  return text;
}

void kill_tree(pid_t top) {
  // From the top down: a parent that sees its child die first restarts it, or leaves with an exit code that misleads.
  // Whom a process has forked in the meantime becomes our child, and is found by the next poll.
  const std::vector<pid_t> below = descendants_of(top);
  kill_group(::getpgid(top));
  ::kill(top, SIGKILL);
  for (const pid_t pid : below) ::kill(pid, SIGKILL);
}

}  // namespace

class LocalLauncher::Impl {
 public:
  Impl() : signals_(context_) {
    prepare_to_own_processes();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) take_signal(number);
    await_signal();
  }

  ~Impl() {
    waiting_.clear();
    for (auto& [id, running] : running_) {
      running.kill_at = Clock::now();
      tend_soon(running);
    }
    for (const auto until = Clock::now() + kGiveUp; !running_.empty() && Clock::now() < until;)
      context_.run_one_until(until);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  void start(const Job& job) {
    if (running_.contains(job.id)) throw std::logic_error(fmt::format("job {} is running already", job.id));
    waiting_.push_back(job);
    if (waiting_.size() == 1) start_waiting();
  }

  std::vector<Ended> wait(std::chrono::milliseconds at_most) {
    const auto until = Clock::now() + std::min<std::chrono::milliseconds>(at_most, std::chrono::hours{24 * 365});
    context_.poll();
    while (ended_.empty() && !woken_ && Clock::now() < until) {
      context_.run_one_until(until);
      context_.poll();
    }
    woken_ = false;
    if (!running_.empty()) orphans_.reap(all_identities());  // those of running jobs: a long one would collect zombies
    return std::exchange(ended_, {});
  }

  void stop(JobId id) {
    if (const auto waiting = std::ranges::find(waiting_, id, &Job::id); waiting != waiting_.end()) {
      ended_.push_back({.id = id, .how = Ended::How::not_started, .stopped = true, .message = lacking_});
      waiting_.erase(waiting);
      return;
    }
    const auto found = running_.find(id);
    if (found == running_.end() || found->second.stopped) return;
    Running& running = found->second;
    running.stopped = true;
    log::debug(fmt::format("{}: SIGTERM to process {} and those below it, SIGKILL after {:g} s", label_of(running.job),
                           running.process->pid(), std::chrono::duration<double>(running.job.grace).count()));
    running.kill_at = std::min(running.kill_at, Clock::now() + running.job.grace);
    // Also to those that left the group: a launcher that is killed by SIGTERM tells its workers nothing. SIGCONT wakes
    // what was stopped, so that it can act on it.
    const pid_t leader = running.process->pid();
    std::vector<pid_t> others = descendants_of(leader);
    for (const pid_t orphan : orphans_.of(identity_of(running), all_identities()).own) others.push_back(orphan);
    running.process->signal_group(SIGTERM);
    running.process->signal_group(SIGCONT);
    for (const pid_t pid : others) {
      if (::getpgid(pid) == leader) continue;
      ::kill(pid, SIGTERM);
      ::kill(pid, SIGCONT);
    }
    tend(running);
  }

  std::optional<std::uint64_t> memory_bytes(JobId id) const {
    const auto found = running_.find(id);
    if (found == running_.end()) return std::nullopt;
    const pid_t leader = found->second.process->pid();
    std::uint64_t sum = memory_of(leader).value_or(0);
    for (const pid_t pid : descendants_of(leader)) sum += memory_of(pid).value_or(0);
    return sum > 0 ? std::optional(sum) : std::nullopt;
  }

  JobStatus status(JobId id) const {
    if (std::ranges::find(waiting_, id, &Job::id) == waiting_.end()) return {};
    return {.waits = true, .text = lacking_};
  }

  int signal_number() const { return signal_number_; }

 private:
  using Jobs = std::map<JobId, Running>;

  /// In their order, until this machine has nothing left for one of them.
  void start_waiting() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      if (auto started = start_now(waiting_.front()); started) pauses_ = {};
      else if (started.error().shortage) return try_again(started.error().why);
      else ended_.push_back({.id = waiting_.front().id, .how = Ended::How::not_started, .message = started.error().why});
    }
  }

  void try_again(const std::string& why) {
    if (pauses_.enough()) throw NothingStarts(why + ", and has been so for hours");
    if (!pauses_.any()) log::info(why + ": it is tried again from time to time");
    lacking_ = why;
    try_again_.expires_after(pauses_.next());
    try_again_.async_wait([this](const boost::system::error_code& error) {
      if (!error) start_waiting();
    });
  }

  tl::expected<void, NotStarted> start_now(const Job& job) {
    Command command{job.command, job.environment, job.directory, job.stdout_file, job.stderr_file};
    command.environment[std::string(kAttemptVariable)] = job.tag;
    auto process = Process::spawn(context_, command);
    if (!process) {
      log::debug(fmt::format("{}: not started: {}", label_of(job), process.error().why));
      return tl::unexpected(process.error());
    }
    Running& running = running_.try_emplace(job.id, job, std::move(*process), context_).first->second;
    if (job.logged)
      log::debug(fmt::format("{}: process {} in {}: {}", label_of(job), running.process->pid(), job.directory.string(),
                             log::command_text(job.command)));
    running.process->async_wait([this, id = job.id, pid = running.process->pid()](const auto& status) {
      const auto found = running_.find(id);  // not there: given up, but it did end
      if (found != running_.end() && found->second.process->pid() == pid) leader_ended(found->second, status);
    });
    return {};
  }

  void take_signal(int number) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) return;
    signals_.add(number);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  }

  void await_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) return;
      woken_ = true;
      log::debug(fmt::format("signal {} (SIG{})", number, ::sigabbrev_np(number)));
      if (signal_number_ == 0) signal_number_ = number;
      else hurry();
      await_signal();
    });
  }

  void hurry() {
    for (auto& [id, running] : running_)
      if (running.stopped) {
        running.kill_at = std::min(running.kill_at, Clock::now());
        tend_soon(running);
      }
  }

  /// For callers that walk over running_, which tend may change.
  void tend_soon(Running& running) {
    asio::post(context_, [this, &running] { tend(running); });
  }

  void leader_ended(Running& running, const tl::expected<ExitStatus, std::string>& status) {
    Ended ended = end_of(running);
    if (!status) {
      ended.how = Ended::How::unknown;
      ended.message = "its exit status is lost: " + status.error();
    } else {
      ended.how = status->signalled ? Ended::How::signalled : Ended::How::exited;
      ended.code = status->code;
    }
    running.ended = std::move(ended);
    running.look_again_until = Clock::now() + kLinger;
    running.kill_at = std::min(running.kill_at, running.look_again_until);
    tend(running);
  }

  /// Moves a job on: kills what is due, reports what is done, else sets the timer.
  void tend(Running& running) {
    if (running.reported) return;  // this call was queued before the report
    const auto now = Clock::now();
    Orphans::Left left{.own = {running.process->pid()}};
    if (running.ended) {
      left = orphans_.of(identity_of(running), all_identities());
      const bool look_again = now < running.look_again_until && any_new(left.unknown);
      const bool may_have_forked = left.any_died && now < running.kill_at + kGiveUp;
      if (!left.lives() && !may_have_forked && !look_again) {
        faceless_.insert(left.unknown.begin(), left.unknown.end());
        return report(running);
      }
    }
    if (now >= running.kill_at && left.lives()) {
      if (running.ended && !running.stopped && running.ended->message.empty())
        running.ended->message = "left running at its end, and killed: " + names(left);
      if (!std::exchange(running.killed, true))
        log::debug(fmt::format("{}: SIGKILL to {}", label_of(running.job), names(left)));
      for (const pid_t group : left.groups) kill_group(group);
      for (const pid_t pid : left.own) kill_tree(pid);
      if (now >= running.kill_at + kGiveUp) return give_up(running, left);
    }
    const bool only_waiting = !running.ended && now < running.kill_at;  // for the leader, whose end calls us
    if (only_waiting && running.kill_at == kNever) return;
    running.timer.expires_at(only_waiting ? running.kill_at : now + running.pause);
    if (!only_waiting) running.pause = std::min<std::chrono::milliseconds>(2 * running.pause, kLongestPoll);
    running.timer.async_wait([this, &running](const boost::system::error_code& error) {
      if (!error) tend(running);
    });
  }

  /// A process shows no environment while it execs. One that never shows any is waited for once, not by every job.
  bool any_new(const std::vector<pid_t>& unknown) const {
    return std::any_of(unknown.begin(), unknown.end(), [&](pid_t pid) { return !faceless_.contains(pid); });
  }

  void report(Running& running) {
    running.reported = true;
    running.timer.cancel();
    const Ended& ended = *running.ended;
    if (running.job.logged)
      log::debug(fmt::format("{}: {} after {:g} s", label_of(running.job), how_it_ended(ended),
                             std::chrono::duration<double>(ended.duration).count()));
    ended_.push_back(*running.ended);
    // Handlers that are queued already refer to the job: it stays until they have run.
    auto node = std::make_shared<Jobs::node_type>(running_.extract(running.job.id));
    asio::post(context_, [node] {});
  }

  void give_up(Running& running, const Orphans::Left& left) {
    const bool leader_stuck = !running.ended;
    if (leader_stuck) {
      running.ended = end_of(running);
      running.ended->how = Ended::How::unknown;
    }
    running.ended->message = fmt::format("still there {} s after SIGKILL, probably inside a device driver: {}",
                                         std::chrono::duration_cast<std::chrono::seconds>(kGiveUp).count(), names(left));
    for (const pid_t pid : left.own) orphans_.give_up(pid);
    if (leader_stuck) abandoned_.push_back(std::move(running.process));  // its wait stays pending
    report(running);
  }

  JobIdentity identity_of(const Running& running) const { return {running.job.tag, running.process->pid(), !running.ended}; }

  std::vector<JobIdentity> all_identities() const {
    std::vector<JobIdentity> all;
    for (const auto& [id, running] : running_) all.push_back(identity_of(running));
    return all;
  }

  asio::io_context context_{1};  // one thread: no locks
  asio::signal_set signals_;
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(context_);
  Jobs running_;             // nodes stay where they are: handlers refer to them
  std::deque<Job> waiting_;  // for a process, memory or descriptors
  std::string lacking_;      // why they wait
  Pauses pauses_;
  asio::steady_timer try_again_{context_};
  std::vector<Ended> ended_;  // to be reported
  Orphans orphans_;
  std::set<pid_t> faceless_;  // orphans that are waited for no more
  std::vector<std::unique_ptr<Process>> abandoned_;
  int signal_number_ = 0;
  bool woken_ = false;
};

LocalLauncher::LocalLauncher() : impl_(std::make_unique<Impl>()) {}
LocalLauncher::~LocalLauncher() = default;
void LocalLauncher::start(const Job& job) { impl_->start(job); }
std::vector<Ended> LocalLauncher::wait(std::chrono::milliseconds at_most) { return impl_->wait(at_most); }
void LocalLauncher::stop(JobId id) { impl_->stop(id); }
std::optional<std::uint64_t> LocalLauncher::memory_bytes(JobId id) const { return impl_->memory_bytes(id); }
JobStatus LocalLauncher::status(JobId id) const { return impl_->status(id); }
int LocalLauncher::signal_number() const { return impl_->signal_number(); }

}  // namespace bisectd::driver::launch
