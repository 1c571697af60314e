// Jobs as the driver meets them: real processes, their ends, and what they leave behind.
#include "driver/launch/local.hpp"

#include <sys/resource.h>

#include <csignal>
#include <map>
#include <optional>

#include "driver/launch/strays.hpp"
#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;
using How = launch::Ended::How;

TEST_CASE("a job that ends by itself is reported with its exit code and output") {
  const Folder folder;
  launch::LocalLauncher launcher;
  const auto ended = run(launcher, bash(folder, "echo out; echo err >&2; exit 7"));
  CHECK(ended.id == 1);
  CHECK(ended.how == How::exited);
  CHECK(ended.code == 7);
  CHECK_FALSE(ended.stopped);
  CHECK(folder.read("out") == "out\n");
  CHECK(folder.read("err") == "err\n");
}

TEST_CASE("two jobs run at once and each is reported once, with its own end") {
  const Folder folder;
  launch::LocalLauncher launcher;
  // Each waits for the other: they must overlap.
  launcher.start(bash(folder, "touch one; until [ -e two ]; do sleep 0.01; done; exit 1", 1));
  launcher.start(bash(folder, "touch two; until [ -e one ]; do sleep 0.01; done; exit 2", 2));
  std::map<launch::JobId, int> codes;
  for (int ends = 0; ends < 2;)
    for (const auto& ended : launcher.wait(10s)) {
      codes[ended.id] = ended.code;
      ++ends;
    }
  CHECK(codes == std::map<launch::JobId, int>{{1, 1}, {2, 2}});
}

TEST_CASE("stop ends the whole group, grandchildren too") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "bash -c 'sleep 60 & echo $! >pid; wait' & wait"));
  const pid_t grandchild = pid_in(folder, "pid");
  REQUIRE(grandchild > 0);
  launcher.stop(1);
  launcher.stop(1);  // once more does nothing
  const auto ended = next_end(launcher);
  CHECK(ended.stopped);
  CHECK(ended.how == How::signalled);
  CHECK(ended.code == SIGTERM);
  CHECK_FALSE(is_alive(grandchild));
}

TEST_CASE("a job may use its grace to end in its own way") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "trap 'echo saved; exit 3' TERM; echo $$ >pid; while :; do sleep 0.01; done"));
  REQUIRE(pid_in(folder, "pid") > 0);
  launcher.stop(1);
  const auto ended = next_end(launcher);
  CHECK(ended.stopped);
  CHECK(ended.how == How::exited);
  CHECK(ended.code == 3);
  CHECK(folder.read("out") == "saved\n");
}

TEST_CASE("what ignores SIGTERM is killed after its grace") {
  const Folder folder;
  launch::LocalLauncher launcher;
  auto deaf = bash(folder, "trap '' TERM; sleep 60 & echo $! >pid; wait");
  deaf.grace = 50ms;
  launcher.start(deaf);
  const pid_t child = pid_in(folder, "pid");
  launcher.stop(1);
  const auto ended = next_end(launcher);
  CHECK(ended.stopped);
  CHECK(ended.how == How::signalled);
  CHECK(ended.code == SIGKILL);
  CHECK(ended.duration >= 50ms);
  CHECK_FALSE(is_alive(child));
}

TEST_CASE("a stopped job can act on SIGTERM") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "trap 'exit 3' TERM; echo $$ >pid; kill -STOP $$; sleep 60"));
  const pid_t pid = pid_in(folder, "pid");
  REQUIRE(eventually([&] { return state_of(pid) == 'T'; }));
  launcher.stop(1);
  CHECK(next_end(launcher).code == 3);
}

TEST_CASE("a process that left group and session is ended with its job") {
  const Folder folder;
  launch::LocalLauncher launcher;
  SECTION("when the job ends normally") {
    const auto ended = run(launcher, bash(folder, "setsid sleep 60 & echo $! >pid; exit 4"));
    CHECK(ended.how == How::exited);
    CHECK(ended.code == 4);
    CHECK_THAT(ended.message, Catch::Contains("left running at its end, and killed: sleep (process "));
  }
  SECTION("when the job is stopped") {
    launcher.start(bash(folder, "setsid sleep 60 & echo $! >pid; sleep 60"));
    REQUIRE(pid_in(folder, "pid") > 0);
    launcher.stop(1);
    CHECK(next_end(launcher).stopped);
  }
  SECTION("with a wiped environment, forked twice, and the forking parent still alive") {
    run(launcher, bash(folder,
                       "env -i setsid bash -c 'trap \"\" TERM; setsid sleep 60 & echo $! >pid; wait' & "
                       "until [ -s pid ]; do sleep 0.01; done"));
  }
  const pid_t stray = pid_in(folder, "pid");
  REQUIRE(stray > 0);
  CHECK_FALSE(is_alive(stray));
  CHECK(launch::children_of(::getpid()).empty());  // reaped, too
}

TEST_CASE("what a job leaves behind may still write its last lines") {
  const Folder folder;
  launch::LocalLauncher launcher;
  CHECK(run(launcher, bash(folder, "exec > >(sleep 0.05; cat); echo last")).message.empty());
  CHECK(folder.read("out") == "last\n");
}

TEST_CASE("the end of one job leaves the strays of another alone") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "(setsid sleep 60 & echo $! >pid); sleep 60", 1));
  const pid_t daemon = pid_in(folder, "pid");
  REQUIRE(daemon > 0);
  CHECK(run(launcher, bash(folder, "setsid sleep 60 & echo $! >pid2", 2)).id == 2);
  CHECK(is_alive(daemon));
  CHECK_FALSE(is_alive(pid_in(folder, "pid2")));
  launcher.stop(1);
  CHECK(next_end(launcher).id == 1);
  CHECK_FALSE(is_alive(daemon));
}

TEST_CASE("a stray that shows neither tag nor session is ended with the last job") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "sleep 60", 1));
  run(launcher, bash(folder,
                     "(env -i setsid bash -c 'echo $$ >pid; exec sleep 60' &); "
                     "until [ -s pid ]; do sleep 0.01; done",
                     2));
  const pid_t stray = pid_in(folder, "pid");
  REQUIRE(stray > 0);
  CHECK(is_alive(stray));
  launcher.stop(1);
  next_end(launcher);
  CHECK_FALSE(is_alive(stray));
}

TEST_CASE("children from before the launcher are not touched") {
  CHECK(in_child([] {
          const pid_t older = ::fork();
          if (older == 0) {
            ::pause();
            ::_exit(0);
          }
          const Folder folder;
          {
            launch::LocalLauncher launcher;
            run(launcher, bash(folder, "setsid sleep 60 & exit 0"));
          }
          return is_alive(older) && ::kill(older, SIGKILL) == 0 ? 0 : 1;
        }) == 0);
}

TEST_CASE("orphans that end while their job runs are reaped") {
  const Folder folder;
  launch::LocalLauncher launcher;
  launcher.start(bash(folder, "for i in 1 2 3; do (true &); done; touch done; sleep 60"));
  eventually([&] { return std::filesystem::exists(folder / "done"); });
  CHECK(eventually([&] {
    launcher.wait(1ms);
    return launch::children_of(::getpid()).size() == 1;  // the leader
  }));
}

TEST_CASE("the launcher's end is the end of its jobs") {
  const Folder folder;
  {
    launch::LocalLauncher launcher;
    launcher.start(bash(folder, "trap '' TERM; setsid sleep 60 & echo $! >pid; wait"));
    REQUIRE(pid_in(folder, "pid") > 0);
  }
  CHECK_FALSE(is_alive(pid_in(folder, "pid")));
  CHECK(launch::children_of(::getpid()).empty());
}

TEST_CASE("a job that cannot start says why, and leaves nothing") {
  const Folder folder;
  launch::LocalLauncher launcher;
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"no-such-trainer"}, "not found in PATH"},
      {{folder.write("plain", "x").string()}, "not executable"},
      {{"/usr/bin/"}, "is a directory"},
      {{folder.write("garbage", "\x01\x02", true).string()}, "exec format error"},
      {{folder.write("script", "#!/no/such/python -u\n", true).string()}, "interpreter /no/such/python"},
      {{}, "empty"},
      {{"true", std::string(200'000, 'x')}, "too long"},
  };
  const auto refused = [&](const launch::Job& broken, const char* why) {
    const auto ended = run(launcher, broken);
    CHECK(ended.how == How::not_started);
    CHECK_THAT(ended.message, Catch::Contains(why));
    CHECK(launch::children_of(::getpid()).empty());
  };
  for (const auto& [command, why] : cases) refused(job(folder, command), why);
  launch::Job elsewhere = job(folder, {"true"}), unheard = elsewhere;
  elsewhere.directory = folder / "missing";
  refused(elsewhere, "no such directory");
  unheard.stdout_file = folder / "missing/out";
  refused(unheard, "cannot open");
}

#ifndef __SANITIZE_ADDRESS__  // which needs descriptors itself
namespace {

/// No file can be opened in this process.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit tight{3, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &tight);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a job for which no descriptor is left waits until there is one") {
  const Folder folder;
  launch::LocalLauncher launcher;
  std::optional<NoDescriptors> none_left(std::in_place);
  launch::Job late = job(folder, {"true"});
  launcher.start(late);
  const bool none = launcher.wait(10ms).empty();
  const launch::JobStatus status = launcher.status(late.id);
  none_left.reset();
  CHECK(none);
  CHECK(status.waits);
  CHECK_THAT(status.text, Catch::Contains("oo many open files"));
  const auto ended = launcher.wait(10s);
  REQUIRE(ended.size() == 1);
  CHECK(ended.front().how == How::exited);
}

TEST_CASE("a job that waits to be started can be stopped") {
  const Folder folder;
  launch::LocalLauncher launcher;
  std::optional<NoDescriptors> none_left(std::in_place);
  launch::Job late = job(folder, {"true"});
  launcher.start(late);
  launcher.stop(late.id);
  none_left.reset();
  const auto ended = launcher.wait(1s);
  REQUIRE(ended.size() == 1);
  CHECK(ended.front().how == How::not_started);
  CHECK(ended.front().stopped);
}
#endif

TEST_CASE("300 jobs leave neither descriptors nor zombies") {
  const Folder folder;
  launch::LocalLauncher launcher;
  run(launcher, job(folder, {"true"}));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 300; ++i) REQUIRE(run(launcher, job(folder, {i % 3 == 0 ? "false" : "true"})).how == How::exited);
  CHECK(open_descriptors() == before);
  CHECK(launch::children_of(::getpid()).empty());
}
