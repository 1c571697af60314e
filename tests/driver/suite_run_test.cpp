// Which models of a suite run at once, and what becomes of the rest when it is stopped; with jobs that are no processes.
#include "driver/suite/suite_run.hpp"

#include <csignal>

#include "tests/catch.hpp"
#include "tests/driver/fake_launcher.hpp"
#include "tests/driver/temporary_folder.hpp"

namespace bisectd::driver::suite {
namespace {

using Words = std::vector<std::string>;

class Bench {
 public:
  SuiteEnd run(const std::vector<std::pair<std::string, std::set<std::string>>>& models) {
    std::vector<Model> all;
    for (const auto& [name, devices] : models)
      all.push_back({.name = name, .command = {"bisectd"}, .devices = devices, .folder = folder_.path() / name});
    const SuiteHooks hooks{
        .started = [&](const Model& model) { seen.push_back("+" + model.name); },
        .ended = [&](const Model& model,
                     const launch::Ended& ended) { seen.push_back("-" + model.name + " " + how_it_ended(ended)); },
        .left = [&](const Model& model) { seen.push_back("left " + model.name); },
        .out_of_time = [&] { return launcher.now() >= time_is_up; }};
    return run_models(std::move(all), launcher, "suite", hooks);
  }

  tests::FakeLauncher launcher;
  launch::Clock::time_point time_is_up = launch::Clock::time_point::max();
  Words seen;

 private:
  tests::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("models that share a device run one after the other, all others at once") {
  Bench bench;
  CHECK(bench.run({{"a", {"npu 0", "npu 1"}}, {"b", {"npu 1"}}, {"c", {"npu 2"}}, {"d", {}}}) == SuiteEnd::done);
  CHECK(bench.seen == Words{"+a", "+c", "+d", "-a exited 0", "-c exited 0", "-d exited 0", "+b", "-b exited 0"});
  CHECK(bench.launcher.most_at_once == 3);
  CHECK(bench.launcher.started == Words{"suite/a", "suite/c", "suite/d", "suite/b"});
}

TEST_CASE("a suite that is stopped ends what runs, and takes no result of it") {
  const auto begin = [](Bench& bench) {
    bench.launcher.script = [](const launch::Job& job) {
      return tests::Script{.ends_after_ms = job.tag == "suite/short" ? 100 : 10'000, .leaves_on_term_ms = 500};
    };
    return bench.run({{"long", {"npu 0"}}, {"short", {"npu 1"}}, {"after it", {"npu 0"}}});
  };
  const Words expected{"+long", "+short", "-short exited 0"};
  Bench signalled;
  signalled.launcher.signal_after(2000, SIGTERM);
  CHECK(begin(signalled) == SuiteEnd::signal);
  CHECK(signalled.seen == expected);
  Bench late;
  late.time_is_up = late.launcher.now() + std::chrono::seconds{3};
  CHECK(begin(late) == SuiteEnd::out_of_time);
  CHECK(late.seen == expected);
}

TEST_CASE("a suite that is stopped does not wait for ever for what cannot be ended") {
  Bench bench;
  bench.launcher.script = [](const launch::Job& job) {
    return tests::Script{.ends_after_ms = {},
                         .leaves_on_term_ms = job.tag == "suite/stuck" ? std::nullopt : std::optional(500)};
  };
  bench.launcher.signal_after(2000, SIGTERM);
  const auto begin = bench.launcher.now();
  CHECK(bench.run({{"stuck", {"npu 0"}}, {"other", {"npu 1"}}}) == SuiteEnd::signal);
  CHECK(bench.seen == Words{"+stuck", "+other", "left stuck"});
  CHECK(bench.launcher.now() - begin < std::chrono::minutes{3});
}

}  // namespace bisectd::driver::suite
