// Kinship and tags as /proc shows them, and the sweep after a killed bisectd.
#include "driver/launch/strays.hpp"

#include <csignal>
#include <cstdio>

#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;

namespace {

/// A launcher that is killed while this job runs. Returns the pid that the job wrote to `pid`.
pid_t left_behind(const Folder& folder, const std::string& script) {
  in_child([&] {
    launch::LocalLauncher launcher;
    launcher.start(bash(folder, script));
    if (pid_in(folder, "pid") > 0) ::kill(::getpid(), SIGKILL);
    return 1;
  });
  return pid_in(folder, "pid");
}

std::string run_tag(const Folder& folder) { return folder.path().filename().string() + "/"; }

}  // namespace

TEST_CASE("a sweep ends what a killed bisectd left behind, and nothing else") {
  const Folder folder, other;
  const pid_t stray = left_behind(folder, "setsid bash -c 'trap \"\" TERM; echo $$ >pid; sleep 60; :' & wait");
  const pid_t foreign = left_behind(other, "setsid bash -c 'echo $$ >pid; exec sleep 60' & wait");
  REQUIRE(is_alive(stray));
  REQUIRE(is_alive(foreign));
  CHECK(launch::attempt_tag(stray) == run_tag(folder) + "1");
  CHECK(launch::sweep_strays(run_tag(folder)));
  CHECK_FALSE(is_alive(stray));
  CHECK(is_alive(foreign));
  CHECK_FALSE(launch::sweep_strays(run_tag(folder)));
  CHECK(launch::sweep_strays(run_tag(other)));
  CHECK_FALSE(is_alive(foreign));
}

TEST_CASE("a sweep ends a chain of processes that each fork and leave") {
  const Folder folder;
  left_behind(folder,
              "setsid bash -c 'link() { [ $SECONDS -ge 60 ] || { sleep 0.01; link & }; }; echo $$ >pid; link' & wait");
  CHECK(launch::sweep_strays(run_tag(folder)));
  ::usleep(100'000);
  CHECK_FALSE(launch::sweep_strays(run_tag(folder)));
}

TEST_CASE("started by the next test, with a tag of its own", "[.sweeper]") {
  const std::string tag = std::getenv("BISECTD_ATTEMPT");
  REQUIRE(launch::attempt_tag(::getpid()) == tag);
  CHECK_FALSE(launch::sweep_strays(tag));
}

TEST_CASE("a sweep never ends itself") {
  CHECK(in_child([] {
          const char* const argv[] = {"test_launch", "[.sweeper]", nullptr};
          const std::string tag = "BISECTD_ATTEMPT=sweeper-" + std::to_string(::getpid());
          const char* const envp[] = {tag.c_str(), nullptr};
          if (!std::freopen("/dev/null", "w", stdout)) return 2;
          ::execve("/proc/self/exe", const_cast<char* const*>(argv), const_cast<char* const*>(envp));
          return 1;
        }) == 0);
}

TEST_CASE("a variable that only looks like the tag is not it") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "env -i BISECTD_ATTEMPTS=x X_BISECTD_ATTEMPT=y sleep 60 & echo $! >pid; wait"));
  const pid_t pid = pid_in(folder, "pid");
  eventually([&] { return launch::name_of(pid) == "sleep"; });  // before, it is the shell, which has the tag
  CHECK_FALSE(launch::attempt_tag(pid));
}
