// A child sees nothing of ours, and each trap of Boost.Process 1.81 stays disarmed. A test that names an issue says
// which workaround in process.cpp it is for: when it still passes without the workaround, that can go.
#include "driver/launch/process.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <optional>

#include "driver/launch/strays.hpp"
#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;
using launch::Process;

namespace {

launch::Command command(const Folder& folder, std::vector<std::string> arguments) {
  return {std::move(arguments), {{"PATH", "/usr/bin:/bin"}}, folder.path(), folder / "out", folder / "err"};
}

/// Starts the command and waits for its end. Absent when it did not start or its status was lost.
std::optional<launch::ExitStatus> run_command(const launch::Command& what) {
  boost::asio::io_context context;
  auto process = Process::spawn(context, what);
  if (!process) return std::nullopt;
  std::optional<launch::ExitStatus> status;
  (*process)->async_wait([&](const auto& end) {
    if (end) status = *end;
  });
  context.run_for(10s);
  return status;
}

std::string output_of(const Folder& folder, const std::string& script) {
  run_command(command(folder, {"bash", "-c", script}));
  return folder.read("out");
}

/// From now on these system calls fail in this process as on a kernel that lacks them.
bool forbid(std::initializer_list<unsigned> calls) {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

TEST_CASE("a child has the descriptors 0, 1 and 2 only, whatever we have open (boost 1.81 close_handles)") {
  const Folder folder;
  const int inheritable = ::open("/dev/null", O_RDONLY);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(output_of(folder, "ls /proc/$$/fd; readlink /proc/$$/fd/0") == "0\n1\n2\n/dev/null\n");
  for (const int fd : {inheritable, ends[0], ends[1]}) ::close(fd);
}

TEST_CASE("without close_range a child still has only 0, 1 and 2 (Linux < 5.11)") {
  const Folder folder;
  CHECK(in_child([&] {
          if (::open("/dev/null", O_RDONLY) < 0 || !forbid({SYS_close_range})) return 2;
          return output_of(folder, "ls /proc/$$/fd; :") == "0\n1\n2\n" ? 0 : 1;
        }) == 0);
}

TEST_CASE("without pidfd a child is awaited all the same (Linux < 5.3)") {
  const Folder folder;
  CHECK(in_child([&] {
          if (!forbid({SYS_pidfd_open})) return 2;
          const auto status = run_command(command(folder, {"bash", "-c", "sleep 0.01; exit 5"}));
          const auto killed = run_command(command(folder, {"bash", "-c", "kill -9 $$"}));
          if (!status || !killed) return 3;
          return status->code == 5 && killed->signalled && launch::children_of(::getpid()).empty() ? 0 : 1;
        }) == 0);
}

TEST_CASE("ignored and blocked signals of ours do not reach a child") {
  const Folder folder;
  CHECK(in_child([&] {
          std::signal(SIGPIPE, SIG_IGN);
          sigset_t all;
          sigfillset(&all);
          ::sigprocmask(SIG_SETMASK, &all, nullptr);
          // Not bash: it changes its own actions.
          run_command(command(folder, {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
          sigset_t after;
          ::sigprocmask(SIG_SETMASK, nullptr, &after);
          return ::sigismember(&after, SIGTERM) == 1 ? 0 : 1;  // ours is as it was
        }) == 0);
  CHECK(folder.read("out") == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_CASE("a child leads its own session and group (boostorg/process #259)") {
  const Folder folder;
  CHECK(output_of(folder, "ps -o pid=,pgid=,sid= -p $$ | awk '{print ($1 == $2 && $2 == $3)}'") == "1\n");
}

TEST_CASE("a failed exec leaves no zombie and prints nothing twice (boostorg/process #285, #514)") {
  const Folder folder;
  const auto script = folder.write("script", "#!/no/such/interpreter\n", true);
  CHECK(in_child([&] {
          if (!std::freopen((folder / "ours").c_str(), "w", stdout)) return 3;
          std::fputs("once", stdout);  // stays in the buffer over the fork
          if (run_command(command(folder, {script.string()}))) return 2;
          std::fflush(stdout);
          return launch::children_of(::getpid()).empty() ? 0 : 1;
        }) == 0);
  CHECK(folder.read("ours") == "once");
}

TEST_CASE("exit 15 and SIGTERM are told apart (native_exit_code)") {
  const Folder folder;
  const auto left = run_command(command(folder, {"bash", "-c", "exit 15"}));
  const auto killed = run_command(command(folder, {"bash", "-c", "kill -TERM $$"}));
  REQUIRE(left);
  REQUIRE(killed);
  CHECK((!left->signalled && left->code == 15));
  CHECK((killed->signalled && killed->code == SIGTERM));
}

TEST_CASE("argv, environment and directory arrive as given, and nothing else") {
  const Folder folder;
  auto what = command(
      folder, {"bash", "-c", "printf '%s|' \"$0\" \"$@\"; pwd; cat /proc/$$/environ; :", "$HOME", "a b", "", "*", "é\n"});
  what.environment["ODD"] = "x=y z\n";
  run_command(what);
  CHECK(folder.read("out") ==
        "$HOME|a b||*|é\n|" + folder.path().string() + "\n" + std::string("ODD=x=y z\n\0PATH=/usr/bin:/bin\0", 30));
}

TEST_CASE("argv[0] is what the user wrote, not where it was found") {
  const Folder folder;
  run_command(command(folder, {"cat", "/proc/self/cmdline"}));
  CHECK(folder.read("out") == std::string("cat\0/proc/self/cmdline\0", 23));
}

TEST_CASE("stdout and stderr may share a file without overwriting each other") {
  const Folder folder;
  auto what = command(folder, {"bash", "-c", "echo 1; echo 2 >&2; echo 3"});
  what.stderr_file = what.stdout_file;
  folder.write("out", "from an earlier run");
  run_command(what);
  CHECK(folder.read("out") == "1\n2\n3\n");
}

TEST_CASE("a crash dumps no core") {
  const Folder folder;
  CHECK(in_child([&] {
          rlimit limit{};
          ::getrlimit(RLIMIT_CORE, &limit);
          limit.rlim_cur = limit.rlim_max;
          ::setrlimit(RLIMIT_CORE, &limit);
          return output_of(folder, "ulimit -Sc") == "0\n" ? 0 : 1;
        }) == 0);
}

TEST_CASE("a child dies with the process that started it, even when that is killed") {
  const Folder folder;
  const int code = in_child([&] {
    boost::asio::io_context context;
    auto process = Process::spawn(context, command(folder, {"bash", "-c", "echo $$ >pid; exec sleep 60"}));
    if (pid_in(folder, "pid") > 0) ::kill(::getpid(), SIGKILL);
    return 1;
  });
  CHECK(code == 128 + SIGKILL);
  CHECK(eventually([&] { return !is_alive(pid_in(folder, "pid")); }));
}

TEST_CASE("limits are said in words") {
  const Folder folder;
  std::string expected;
  std::function<void()> tighten;
#ifndef __SANITIZE_ADDRESS__  // which opens a pipe itself to see whether an address can be read
  SECTION("open files, before the fork") {
    expected = "oo many open files";
    tighten = [] {
      const rlimit tight{3, 3};
      ::setrlimit(RLIMIT_NOFILE, &tight);
    };
  }
#endif
  SECTION("processes") {
    expected = "ulimit -u";
    tighten = [] {
      const rlimit tight{0, 0};
      ::setrlimit(RLIMIT_NPROC, &tight);
      if (::getuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(3);  // root has no such limit
    };
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  CHECK(in_child([&] {
          boost::asio::io_context context;
          tighten();
          const auto process = Process::spawn(context, command(folder, {"true"}));
          if (process) return 1;
          return process.error().why.find(expected) != std::string::npos ? 0 : 2;
        }) == 0);
}

TEST_CASE("an owner of processes started without 0, 1, 2 and with SIGCHLD ignored gets them right") {
  const Folder folder;
  CHECK(in_child([&] {
          for (const int fd : {0, 1, 2}) ::close(fd);
          std::signal(SIGCHLD, SIG_IGN);
          launch::prepare_to_own_processes();
          const auto status = run_command(command(folder, {"bash", "-c", "echo out; echo err >&2; exit 6"}));
          return status && status->code == 6 ? 0 : 1;
        }) == 0);
  CHECK(folder.read("out") == "out\n");
  CHECK(folder.read("err") == "err\n");
}
