#include "driver/loop/doubts.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

using strategies::Neutralised;
using strategies::SuspectId;

constexpr double kTarget = 0.005;

void add(History& history, SuspectId off, double delta, std::vector<std::string> devices) {
  PastTrial trial{
      {.number = history.trials.size() + 1, .role = Role::search, .neutralised = Neutralised(strategies::SuspectSet(8))}};
  trial.neutralised.set(off);
  for (std::string& device : devices) trial.attempts.emplace_back().device = std::move(device);
  trial.judgement.emplace().delta = delta;
  history.trials.push_back(std::move(trial));
}

History on_two_devices(std::size_t sets, double off) {
  History history;
  for (SuspectId set = 0; set < sets; ++set) {
    add(history, set, set % 2 ? 0.03 : 0.0, {"npu 0", "npu 0"});
    add(history, set, (set % 2 ? 0.03 : 0.0) + off, {"npu 1"});
  }
  return history;
}

TEST_CASE("a device on which every set ends further off is named") {
  CHECK(device_effect(on_two_devices(4, 0.04), kTarget) ==
        "Runs of one and the same set end at least 4 % higher on npu 1 than on npu 0 (4 sets, such as that of trials 8 and "
        "7)");
  CHECK(device_effect(on_two_devices(4, -0.04), kTarget)->find("higher on npu 0 than on npu 1") != std::string::npos);
}

TEST_CASE("no device is named from few sets, small differences, or what comes and goes") {
  CHECK_FALSE(device_effect(on_two_devices(3, 0.04), kTarget));
  CHECK_FALSE(device_effect(on_two_devices(7, 0.004), kTarget));
  History history = on_two_devices(5, 0.04);
  add(history, 2, 0.04, {"npu 0"});
  CHECK_FALSE(device_effect(history, kTarget));
  history = on_two_devices(5, 0.04);
  add(history, 6, 0.04, {"npu 0"});
  add(history, 6, 0.0, {"npu 1"});
  CHECK_FALSE(device_effect(history, kTarget));
}

TEST_CASE("a trial that ran on both devices shows nothing about one") {
  History history = on_two_devices(3, 0.04);
  add(history, 6, 0.0, {"npu 0"});
  add(history, 6, 0.04, {"npu 1", "npu 0"});
  CHECK_FALSE(device_effect(history, kTarget));
  add(history, 6, 0.04, {"npu 1", "npu 1"});
  CHECK(device_effect(history, kTarget));
}

TEST_CASE("runs of one set on two devices: the gap must be wide beside what each device varies by") {
  using Runs = std::vector<RunOnDevice>;
  const auto effect = [](const Runs& runs, std::size_t each) { return device_effect_in(runs, each, kTarget); };
  CHECK(effect({{"npu 0", 0.01}, {"npu 1", 0.04}}, 1) ==
        "runs of the subject as it is end at least 3 % higher on npu 1 than on npu 0");
  CHECK_FALSE(effect({{"npu 0", 0.01}, {"npu 1", 0.04}}, 2));
  CHECK_FALSE(effect({{"npu 0", 0.01}, {"npu 1", 0.014}}, 1));
  CHECK_FALSE(effect({{"npu 0", 0.01}, {"npu 0", 0.04}}, 1));
  CHECK(effect({{"npu 0", 0.01}, {"npu 0", 0.015}, {"npu 1", -0.04}, {"npu 1", -0.045}}, 2));
  CHECK_FALSE(effect({{"npu 0", 0.01}, {"npu 0", 0.03}, {"npu 1", -0.04}, {"npu 1", -0.045}}, 2));
}

}  // namespace
}  // namespace bisectd::driver
