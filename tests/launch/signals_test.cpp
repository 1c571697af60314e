// What Ctrl-C, kill and a closed terminal do to a launcher. Each in a process of its own.
#include <csignal>
#include <thread>

#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;

TEST_CASE("a signal ends a wait at once and is remembered") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CHECK(in_child([&] {
            const Folder folder;
            launch::LocalLauncher launcher;
            launcher.start(bash(folder, "sleep 60"));
            if (launcher.signal_number() != 0) return 2;
            ::kill(::getpid(), number);
            const auto start = Clock::now();
            if (!launcher.wait(60s).empty() || Clock::now() - start > 5s) return 3;
            if (launcher.signal_number() != number) return 4;
            // The next one waits again, so that a caller who stops its jobs does not spin.
            const auto again = Clock::now();
            launcher.wait(20ms);
            if (Clock::now() - again < 20ms) return 5;
            launcher.stop(1);
            return next_end(launcher).stopped ? 0 : 6;
          }) == 0);
  }
}

TEST_CASE("a signal that arrives during a wait ends it") {
  CHECK(in_child([] {
          const Folder folder;
          launch::LocalLauncher launcher;
          auto killer = bash(folder, "kill -INT $PPID; sleep 60");
          launcher.start(killer);
          return launcher.wait(10s).empty() && launcher.signal_number() == SIGINT ? 0 : 1;
        }) == 0);
}

TEST_CASE("a second signal cuts the grace short") {
  CHECK(in_child([] {
          const Folder folder;
          launch::LocalLauncher launcher;
          auto deaf = bash(folder, "trap '' TERM; echo $$ >pid; while :; do sleep 0.1; done");
          deaf.grace = 60s;
          launcher.start(deaf);
          if (pid_in(folder, "pid") == 0) return 2;
          ::kill(::getpid(), SIGINT);
          launcher.wait(5s);
          launcher.stop(1);
          if (!launcher.wait(20ms).empty()) return 3;
          ::kill(::getpid(), SIGTERM);
          const auto ended = next_end(launcher);
          if (launcher.signal_number() != SIGINT) return 4;
          return ended.stopped && ended.code == SIGKILL ? 0 : 5;
        }) == 0);
}

TEST_CASE("SIGHUP stays ignored under nohup") {
  CHECK(in_child([] {
          std::signal(SIGHUP, SIG_IGN);
          launch::LocalLauncher launcher;
          ::kill(::getpid(), SIGHUP);
          launcher.wait(5ms);
          return launcher.signal_number() == 0 ? 0 : 1;
        }) == 0);
}

TEST_CASE("signals that were blocked for bisectd are heard") {
  CHECK(in_child([] {
          sigset_t term;
          sigemptyset(&term);
          sigaddset(&term, SIGTERM);
          ::sigprocmask(SIG_BLOCK, &term, nullptr);
          launch::LocalLauncher launcher;
          ::kill(::getpid(), SIGTERM);
          launcher.wait(5s);
          return launcher.signal_number() == SIGTERM ? 0 : 1;
        }) == 0);
}
