// The stand-in trainer does what its options say, and the launcher gets the better of it.
#include <csignal>
#include <regex>

#include "driver/launch/strays.hpp"
#include "tests/catch.hpp"
#include "tests/launch/support.hpp"

using namespace support;
using How = launch::Ended::How;

namespace {

launch::Ended train(const Folder& folder, std::vector<std::string> options, const std::string& off = "") {
  options.insert(options.begin(), HOSTILE_TRAINER);
  auto made = job(folder, std::move(options));
  made.environment["HOSTILE_OFF"] = off;
  launch::LocalLauncher launcher;
  return run(launcher, made);
}

/// The loss of the last line.
double last_loss(const Folder& folder) {
  const std::string log = folder.read("out");
  return std::atof(log.c_str() + log.rfind("loss: ") + 6);
}

double loss_of(const Folder& folder, const std::vector<std::string>& options, const std::string& off = "") {
  train(folder, options, off);
  return last_loss(folder);
}

}  // namespace

TEST_CASE("the trainer shows a planted cause while all its members are active") {
  const Folder folder;
  const double clean = loss_of(folder, {});
  const std::vector<std::string> planted{"--suspects", "a,b,c", "--cause", "a+b=3"};
  CHECK(loss_of(folder, planted) == Approx(1.03 * clean));
  CHECK(loss_of(folder, planted, "c") == Approx(1.03 * clean));
  CHECK(loss_of(folder, planted, "a") == Approx(clean));
  CHECK(loss_of(folder, planted, "b,c") == Approx(clean));
  CHECK(loss_of(folder, {"--cause", "a+LAYOUT:1=3", "LAYOUT=1"}) == Approx(1.03 * clean));
  CHECK(loss_of(folder, {"--cause", "a+LAYOUT:1=3", "LAYOUT=0"}) == Approx(clean));
  CHECK(loss_of(folder, {"--window", "scale=16..4096=5", "scale=128"}) == Approx(clean));
  CHECK(loss_of(folder, {"--window", "scale=16..4096=5", "scale=8"}) == Approx(1.05 * clean));
  CHECK(loss_of(folder, {"--cause", "a=3", "--no-effect", "a"}, "a") == Approx(1.03 * clean));
}

TEST_CASE("the trainer's causes may come late or grow") {
  const Folder folder, clean;
  train(clean, {});
  train(folder, {"--cause", "a=10@50^"});
  const std::string log = folder.read("out"), expected = clean.read("out");
  const auto half = expected.find("global_step: 51,");
  CHECK(log.substr(0, half) == expected.substr(0, half));
  CHECK(last_loss(folder) == Approx(1.1 * last_loss(clean)));
}

TEST_CASE("the trainer's noise is repeatable with a seed only") {
  const Folder folder;
  const std::vector<std::string> seeded{"--noise", "1", "--step-noise", "0.2", "--seed", "7"};
  CHECK(loss_of(folder, seeded) == loss_of(folder, seeded));
  CHECK(loss_of(folder, {"--noise", "1"}) != loss_of(folder, {"--noise", "1"}));
}

TEST_CASE("the trainer leaves the traces that are due") {
  const Folder folder;
  train(folder, {"--suspects", "a,b,c", "--on-cpu", "c", "--discover", "--count", (folder / "count").string()}, "b");
  CHECK_THAT(folder.read("out"), Catch::StartsWith("a kernel run finish.\nb kernel run finish.\n"));
  CHECK_THAT(folder.read("err"), Catch::Contains("missing npu kernel: b, expected_kernel_key:(npu, ") &&
                                     Catch::Contains("kernel: c,") && !Catch::Contains("kernel: a,"));
  const std::string tag = folder.path().filename().string() + "/1\n";
  CHECK(folder.read("count") == "start " + tag + "end " + tag);
}

TEST_CASE("the trainer crashes, stops short and lies as told") {
  const Folder folder;
  CHECK(train(folder, {"--crash-at", "5"}).code == SIGSEGV);
  CHECK(train(folder, {"--crash-off", "a+b"}, "a,b").code == SIGABRT);
  CHECK(train(folder, {"--crash-off", "a+b"}, "a").code == 0);
  CHECK(train(folder, {"--exit-code", "3"}).code == 3);
  CHECK(train(folder, {"--truncate-at", "9"}).code == 0);
  CHECK_THAT(folder.read("out"), Catch::Contains("global_step: 9,") && !Catch::Contains("global_step: 10,"));
  CHECK(train(folder, {"--nan-from", "9"}).code == 0);
  CHECK_THAT(folder.read("out"), Catch::Contains("loss: nan,"));
  CHECK(train(folder, {"--garbage", "--torn", "--long-line", "--spam", "1"}).code == 0);
  CHECK(folder.read("out").size() > (1U << 20U));
  CHECK(folder.read("err").size() > (1U << 20U));
  CHECK(train(folder, {"--no-such-option"}).code == 2);
}

TEST_CASE("options may come from a scenario file") {
  const Folder folder;
  const auto scenario = folder.write("scenario", "# planted\nsteps 7\ncause a=5   # the culprit\nexit-code 4\n");
  CHECK(train(folder, {"--scenario", scenario.string()}).code == 4);
  CHECK_THAT(folder.read("out"), Catch::Contains("global_step: 7,") && !Catch::Contains("global_step: 8,"));
}

TEST_CASE("a trainer that hangs, ignores SIGTERM and leaves strays is ended whole") {
  const Folder folder;
  auto hostile = job(folder, {HOSTILE_TRAINER, "--hang-at-exit", "--ignore-term", "--strays", "3"});
  hostile.grace = 50ms;
  launch::LocalLauncher launcher;
  launcher.start(hostile);
  REQUIRE(eventually([&] { return folder.read("out").find("global_step: 100,") != std::string::npos; }));
  launcher.stop(1);
  const auto ended = next_end(launcher);
  CHECK(ended.stopped);
  CHECK(ended.code == SIGKILL);
  CHECK_FALSE(launch::sweep_strays(hostile.tag));
  CHECK(launch::children_of(::getpid()).empty());
}
