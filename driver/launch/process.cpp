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
#include <csignal>
#include <cstring>

#include "driver/keep/descriptor.hpp"
#include "driver/launch/executable.hpp"

namespace bisectd::driver::launch {
namespace {

namespace asio = boost::asio;
using error_code = boost::system::error_code;

constexpr std::chrono::milliseconds kFirstLook{1}, kLongestLook{16};
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
  const char* executable;
  char* const* argv;
  char* const* envp;
  const char* directory;
  int in, out, err;
  int failure;  ///< gets errno if the program cannot be started; closed by exec
  pid_t parent;

  [[noreturn]] void run() const {
    if (prepare()) ::execve(executable, argv, envp);
    const int error = errno;
    (void)!::write(failure, &error, sizeof error);
    ::_exit(127);  // exit() would print the parent's buffered output a second time
  }

 private:
  bool prepare() const {
    // A session of its own, and with it a process group that can be signalled as a whole. Without a controlling terminal a
    // password prompt fails instead of stopping the job for good; and a busy Linux gives it its own share of the processors
    // (autogroup). The parent needs no setpgid of its own: spawn returns after exec, which is after this line.
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
    close_on_exec_from_3();  // not now: `failure` is still needed
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

/// As exec takes them: a null behind the last one.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

ExitStatus decode(int native) {
  if (WIFSIGNALED(native)) return {.signalled = true, .code = WTERMSIG(native)};
  return {.signalled = false, .code = WEXITSTATUS(native)};
}

}  // namespace

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

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannot_fork(errno);
  const Descriptor failure(ends[0]);
  Descriptor childs_end(ends[1]);

  std::vector<std::string> words = command.arguments, variables;
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  const std::string directory = command.directory.string();
  const ChildSetup child{executable->c_str(), argv.data(), envp.data(), directory.c_str(), in.get(),
                         out.get(),           err.get(),   ends[1],     ::getpid()};
  pid_t pid = -1;
  {
    const SignalsBlocked blocked;
    pid = ::fork();
    if (pid == 0) child.run();
  }
  if (pid < 0) return cannot_fork(errno);
  childs_end = Descriptor();
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(failure.get(), &error, sizeof error)) < 0 && errno == EINTR) continue;  // until exec closes it
  if (got > 0) {
    ::waitpid(pid, nullptr, 0);
    return not_started(explain_exec_failure(*executable, error), error);
  }
  return std::unique_ptr<Process>(new Process(context, pid));
}

Process::Process(asio::io_context& context, pid_t pid) : pid_(pid), pidfd_(context), timer_(context) {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd >= 0) pidfd_.assign(pidfd);
}

Process::~Process() {
  if (!reaped_) signal_group(SIGKILL);
}

void Process::async_wait(Handler handler) {
  handler_ = std::move(handler);
  if (!pidfd_.is_open()) return reap(kFirstLook);  // Linux < 5.3 has none, and a full descriptor table gives none
  pidfd_.async_wait(asio::posix::descriptor_base::wait_read, [this](const error_code& error) {
    if (error != asio::error::operation_aborted) reap(kFirstLook);
  });
}

/// Now, if it has ended; else looks again.
void Process::reap(std::chrono::milliseconds pause) {
  int native = 0;
  const pid_t pid = ::waitpid(pid_, &native, WNOHANG);
  if (pid == 0) {
    timer_.expires_after(pause);
    timer_.async_wait([this, pause](const error_code& error) {
      if (!error) reap(std::min(2 * pause, kLongestLook));
    });
    return;
  }
  reaped_ = true;
  if (pid < 0) return handler_(tl::unexpected(std::string(std::strerror(errno))));
  handler_(decode(native));
}

bool Process::signal_group(int signal_number) const { return ::kill(-pid_, signal_number) == 0; }

void prepare_to_own_processes() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
  ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace bisectd::driver::launch
