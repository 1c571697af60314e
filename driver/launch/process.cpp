// Every workaround below names the trap it is for; tests/launch/process_test.cpp has a test per trap, so that a newer
// Boost shows which of them can go.
#include "driver/launch/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "driver/keep/descriptor.hpp"
#include "driver/launch/boost_process.hpp"
#include "driver/launch/executable.hpp"

namespace bisectd::driver::launch {
namespace {

namespace asio = boost::asio;
namespace bp = boost::process::v2;
using error_code = boost::system::error_code;
using BoostProcess = bp::basic_process<asio::io_context::executor_type>;

constexpr unsigned kCloseRangeCloexec = 1U << 2;  // CLOSE_RANGE_CLOEXEC, Linux 5.11

using keep::Descriptor;

/// Blocks every signal for its scope. A signal between fork and exec would run our handler in the child, and asio's
/// would write into the pipe it shares with the parent.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

void close_on_exec_from_3() {
  if (::syscall(SYS_close_range, 3U, ~0U, kCloseRangeCloexec) == 0) return;
  // Linux < 5.11. Ask for each possible number: /proc/self/fd cannot be listed without memory allocation.
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const int last = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1U << 20U));
  for (int fd = 3; fd < last; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// Runs in the child between fork and exec: only async-signal-safe calls, no allocation.
struct ChildSetup {
  const char* directory;
  int in, out, err;
  pid_t parent;

  template <typename Launcher>
  error_code on_exec_setup(Launcher&, const bp::filesystem::path&, const char* const*&) const {
    return prepare() ? error_code{} : error_code(errno, boost::system::system_category());
  }

  // After a failed exec Boost's child calls exit(): the parent's buffered output is printed twice and its atexit
  // handlers run (boostorg/process #514). The error is already in Boost's pipe, so leave at once. Boost looks the hook
  // up with five arguments and calls it with four: both are needed.
  template <typename Launcher>
  void on_exec_error(Launcher&, const bp::filesystem::path&, const char* const*&, const error_code&) const {
    ::_exit(127);
  }
  template <typename Launcher>
  void on_exec_error(Launcher&, const error_code&, const bp::filesystem::path&, const char* const*&,
                     const error_code&) const;

 private:
  bool prepare() const {
    // A session of its own, and with it a process group that can be signalled as a whole; Boost has no support for
    // either (boostorg/process #259). Without a controlling terminal a password prompt fails instead of stopping the
    // job for good; and a busy Linux gives it its own share of the processors (autogroup). The parent needs no setpgid
    // of its own: spawn returns after exec, which is after this line.
    if (::setsid() == -1) return false;
    // A killed bisectd must not leave devices busy. The parent may have died before the request was made.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) == -1) return false;
    if (::getppid() != parent) ::_exit(127);
    // Ignored signals and the mask survive exec: a training would inherit SIGPIPE ignored.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
    // A training of 100 GB that crashes in every other trial fills the disk with cores. The hard limit stays: the
    // command may raise it again.
    rlimit core{};
    if (::getrlimit(RLIMIT_CORE, &core) == 0) {
      core.rlim_cur = 0;
      ::setrlimit(RLIMIT_CORE, &core);
    }
    if (::chdir(directory) == -1) return false;
    if (::dup2(in, 0) == -1 || ::dup2(out, 1) == -1 || ::dup2(err, 2) == -1) return false;
    // Boost 1.81 says it closes all other descriptors but skips them (off by one, fixed upstream by 7a17af0 in 1.85).
    // Closed at exec, not now: Boost's own error pipe is still needed.
    close_on_exec_from_3();
    sigset_t none;
    sigemptyset(&none);
    return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
  }
};

tl::unexpected<NotStarted> not_started(std::string why, int error = 0) {
  const bool shortage = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  return tl::unexpected(NotStarted{std::move(why), shortage});
}

tl::unexpected<NotStarted> cannot_open(const std::filesystem::path& file) {
  const int error = errno;
  return not_started(fmt::format("cannot open {}: {}", file.string(), std::strerror(error)), error);
}

int open_output(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
}

tl::unexpected<NotStarted> cannot_fork(int error) {
  const auto why = [&]() -> std::string {
    switch (error) {
      case EAGAIN: return "the limit of processes is reached (ulimit -u, pids cgroup)";
      case ENOMEM: return "not enough memory";
      case EMFILE: return "too many open files (ulimit -n)";
      default: return std::strerror(error);
    }
  };
  return not_started("cannot start a process: " + why(), error);
}

ExitStatus decode(int native) {
  // Boost's exit_code() is 15 for `exit 15` and for SIGTERM alike; only the native status tells them apart.
  if (WIFSIGNALED(native)) return {.signalled = true, .code = WTERMSIG(native)};
  return {.signalled = false, .code = WEXITSTATUS(native)};
}

}  // namespace

class Process::Impl {
 public:
  Impl(asio::io_context& context, pid_t pid) : pid_(pid), timer_(context) {}

  std::optional<BoostProcess> boost_;  // absent: no pidfd could be had, poll instead
  pid_t pid_;
  bool reaped_ = false;
  Handler handler_;

  void await() {
    if (!boost_) return poll(std::chrono::milliseconds{1});
    boost_->async_wait([this](const error_code& error, int) {
      if (error == asio::error::operation_aborted) return;
      const int native = boost_->native_exit_code();
      reaped_ = true;
      (void)boost_->detach();
      if (error) return handler_(tl::unexpected(error.message()));
      handler_(decode(native));
    });
  }

 private:
  // Boost decides at compile time to wait by pidfd; Linux < 5.3 has none, and a full descriptor table gives none.
  void poll(std::chrono::milliseconds pause) {
    int native = 0;
    const pid_t pid = ::waitpid(pid_, &native, WNOHANG);
    if (pid == 0) {
      timer_.expires_after(pause);
      timer_.async_wait([this, pause](const error_code& error) {
        if (!error) poll(std::min(2 * pause, std::chrono::milliseconds{16}));
      });
      return;
    }
    reaped_ = true;
    if (pid < 0) return handler_(tl::unexpected(std::string(std::strerror(errno))));
    handler_(decode(native));
  }

  asio::steady_timer timer_;
};

tl::expected<std::unique_ptr<Process>, NotStarted> Process::spawn(asio::io_context& context, const Command& command) {
  if (command.arguments.empty()) return not_started("the command is empty");
  std::error_code no_directory;
  if (!std::filesystem::is_directory(command.directory, no_directory))
    return not_started(fmt::format("{}: no such directory to work in", command.directory.string()));
  const auto executable =
      find_executable(command.arguments.front(), command.environment, std::filesystem::absolute(command.directory));
  if (!executable) return not_started(executable.error());

  const Descriptor in(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) return cannot_open("/dev/null");
  const Descriptor out(open_output(command.stdout_file));
  if (out.get() < 0) return cannot_open(command.stdout_file);
  const Descriptor err(open_output(command.stderr_file));
  if (err.get() < 0) return cannot_open(command.stderr_file);

  std::vector<const char*> argv;  // given whole, so that argv[0] stays as the user wrote it
  for (const std::string& argument : command.arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  std::vector<const char*> envp;
  for (const std::string& variable : variables) envp.push_back(variable.c_str());
  envp.push_back(nullptr);

  // The launcher is called directly, with the executor: given the context Boost 1.81 picks an overload that throws, and
  // after a failed exec only the launcher knows the pid of the zombie that Boost leaves (boostorg/process #285).
  const std::string directory = command.directory.string();
  const ChildSetup setup{directory.c_str(), in.get(), out.get(), err.get(), ::getpid()};
  bp::posix::default_launcher launcher;
  launcher.env = envp.data();
  error_code error;
  std::optional<BoostProcess> started;
  {
    const SignalsBlocked blocked;
    try {
      started.emplace(launcher(context.get_executor(), error, *executable, argv.data(), setup));
    } catch (const boost::system::system_error& no_pidfd) {
      // The program runs, but its pidfd could not be opened. Keep the pid and poll.
      if (launcher.pid <= 0) return cannot_fork(no_pidfd.code().value());
    }
  }
  if (error && launcher.pid <= 0) return cannot_fork(error.value());
  if (error) {
    ::waitpid(launcher.pid, nullptr, 0);
    return not_started(explain_exec_failure(*executable, error.value()), error.value());
  }
  auto impl = std::make_unique<Impl>(context, launcher.pid);
  if (started) impl->boost_.emplace(std::move(*started));
  return std::unique_ptr<Process>(new Process(std::move(impl)));
}

Process::Process(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Process::~Process() {
  if (impl_->reaped_) return;
  signal_group(SIGKILL);
  // ~basic_process would kill the leader only, and wait for it, for ever if a driver call holds it.
  if (impl_->boost_) (void)impl_->boost_->detach();
}

pid_t Process::pid() const { return impl_->pid_; }

void Process::async_wait(Handler handler) {
  impl_->handler_ = std::move(handler);
  impl_->await();
}

bool Process::signal_group(int signal_number) const { return ::kill(-impl_->pid_, signal_number) == 0; }

void prepare_to_own_processes() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
  ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace bisectd::driver::launch
