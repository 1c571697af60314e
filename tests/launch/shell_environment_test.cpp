// setup: text in, environment out; whatever the text prints or breaks.
#include "driver/launch/shell_environment.hpp"

#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;
using Environment = std::map<std::string, std::string>;

namespace {

launch::ShellSetup setup(const Folder& folder, std::string text) {
  launch::ShellSetup made;
  made.text = std::move(text);
  made.environment = {{"PATH", "/usr/bin:/bin"}, {"KEPT", "1"}, {"DROPPED", "1"}};
  made.directory = folder.path();
  made.folder = folder.path();
  made.tag = "test/setup";
  return made;
}

tl::expected<Environment, std::string> capture(const launch::ShellSetup& what) {
  launch::LocalLauncher launcher;
  return launch::capture_environment(launcher, what);
}

std::string error_of(const Folder& folder, const std::string& text) {
  const auto captured = capture(setup(folder, text));
  return captured ? "no error" : captured.error();
}

}  // namespace

TEST_CASE("the environment is what the text leaves, and no bookkeeping of the shell") {
  const Folder folder;
  const auto environment =
      capture(setup(folder, "export NEW='a b'\nunset DROPPED\nLOCAL=not-exported\nexport PATH=$PATH:/opt; cd /"));
  REQUIRE(environment);
  CHECK(*environment == Environment{{"PATH", "/usr/bin:/bin:/opt"}, {"KEPT", "1"}, {"NEW", "a b"}});
}

TEST_CASE("odd values survive") {
  const Folder folder;
  const auto environment = capture(setup(folder, "export A=$'line 1\\nB=2' C= D='x=y' E='é \"$HOME\"'"));
  REQUIRE(environment);
  CHECK(environment->at("A") == "line 1\nB=2");
  CHECK_FALSE(environment->contains("B"));
  CHECK(environment->at("C").empty());
  CHECK(environment->at("D") == "x=y");
  CHECK(environment->at("E") == "é \"$HOME\"");
}

TEST_CASE("what the text prints is kept apart") {
  const Folder folder;
  const auto environment = capture(setup(folder, "echo FAKE=1; echo warning >&2; env -0; export REAL=1; exec >/dev/null"));
  REQUIRE(environment);
  CHECK(environment->size() == 4);
  CHECK(environment->at("REAL") == "1");
  CHECK_THAT(folder.read("setup.stdout.log"), Catch::StartsWith("FAKE=1\n"));
  CHECK(folder.read("setup.stderr.log") == "warning\n");
}

TEST_CASE("an environment file with secrets is not left behind") {
  const Folder folder;
  REQUIRE(capture(setup(folder, "export TOKEN=secret")));
  CHECK_FALSE(std::filesystem::exists(folder / "setup.environment"));
  CHECK_FALSE(std::filesystem::exists(folder / "setup.failure"));
}

TEST_CASE("a text that breaks PATH still shows its environment") {
  const Folder folder;
  const auto environment = capture(setup(folder, "export PATH=/nowhere"));
  REQUIRE(environment);
  CHECK(environment->at("PATH") == "/nowhere");
}

TEST_CASE("a failing step stops the text, and the error names line, command, code and last words") {
  const Folder folder;
  const std::string error = error_of(folder, "export A=1\nls /no/such/toolkit\ntouch reached");
  CHECK_THAT(error, Catch::StartsWith("setup failed at line 2: ls /no/such/toolkit (exit code 2): "));
  CHECK_THAT(error, Catch::Contains("cannot access"));
  CHECK_FALSE(std::filesystem::exists(folder / "reached"));
}

TEST_CASE("other ways to fail") {
  const Folder folder;
  CHECK_THAT(error_of(folder, "source /no/such/set_env.sh"), Catch::Contains("line 1: /no/such/set_env.sh: No such file"));
  CHECK_THAT(error_of(folder, "echo 'open quote"), Catch::Contains("unexpected EOF"));
  CHECK_THAT(error_of(folder, "exit 3"), Catch::Contains("exit code 3"));
  CHECK_THAT(error_of(folder, "exit 0"), Catch::Contains("left early"));
  CHECK_THAT(error_of(folder, "kill -9 $$"), Catch::Contains("killed by signal 9"));
  CHECK_THAT(error_of(folder, "for i in 1 2 3 4 5 6 7; do echo line $i >&2; done; false"),
             Catch::Contains("line 3\nline 4") && !Catch::Contains("line 2\n"));
}

TEST_CASE("a text that does not end is stopped") {
  const Folder folder;
  auto endless = setup(folder, "echo thinking >&2; sleep 60");
  endless.timeout = 100ms;
  const auto captured = capture(endless);
  REQUIRE_FALSE(captured);
  CHECK(captured.error() == "setup was not finished after 0.1 s\nthinking");
}
