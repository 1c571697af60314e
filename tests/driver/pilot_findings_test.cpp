// What a few runs show of the night to come.
#include "driver/loop/pilot.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver;
using namespace bisectd::tests;
using Mark = PilotLine::Mark;

namespace {

const Training kTraining{.steps = 400};

configs::Experiment experiment() {
  configs::Experiment one;
  one.metrics.push_back({.name = "loss"});
  return one;
}

using PilotLines = std::vector<PilotLine>;

PilotLines found(const std::vector<Curve>& runs, const std::vector<Curve>& subject,
                 const configs::Experiment& by = experiment()) {
  auto jury = judge::Jury::seat(by.accept, judge::judged_metrics(by.metrics), runs);
  REQUIRE(jury.has_value());
  judge::Jury taught = *jury;
  taught.learn_subject(subject, judge::AlreadyLearnt::no);
  const judge::Judgement judgement = taught.judge_as_is(subject);
  jury->learn(judgement);
  return pilot_findings(by, *jury, subject, judgement);
}

PilotLines found(const std::vector<Curve>& runs, const Curve& subject, const configs::Experiment& by = experiment()) {
  return found(runs, std::vector<Curve>{subject}, by);
}

bool says(const PilotLines& findings, Mark mark, const std::string& words) {
  return std::ranges::any_of(
      findings, [&](const PilotLine& line) { return line.mark == mark && line.text.find(words) != std::string::npos; });
}

Curve subject(const Fault& fault) { return run(kTraining, {.fault = fault}); }

}  // namespace

TEST_CASE("a fault that shows from the start is told with the shortest run that shows it") {
  auto wanted = experiment();
  const auto findings = found(references(kTraining), subject(constant(3)), wanted);
  CHECK(says(findings, Mark::ok, "loss: runs moved by more than any rounding end "));
  CHECK(says(findings, Mark::ok, "the subject as it is fails (+"));
  CHECK(says(findings, Mark::ok, " steps shows it with a margin"));
  CHECK_FALSE(says(findings, Mark::ok, "(`steps: "));
  wanted.steps = 400;
  CHECK(says(found(references(kTraining), subject(constant(3)), wanted), Mark::ok, "(`steps: "));
}

TEST_CASE("where runs differ by chance, repeats measure it, and the shortest run is told as well") {
  const auto findings = found(noisy_references(400, 5, 0.0005), noisy(400, 50, 0.0005, 0.03));
  CHECK(says(findings, Mark::ok, "varies from run to run by "));
  CHECK(says(findings, Mark::ok, "a run of 240 steps shows it with a margin"));
  CHECK(says(findings, Mark::ok, "It saves 40 % of a trial that passes"));
}

TEST_CASE("one log does not show what rounding grows to, moved runs of the subject do") {
  const auto findings = found(one_reference(kTraining), subject(constant(3)));
  CHECK(says(findings, Mark::warning, "no run of the reference shows what rounding grows to"));
  CHECK(says(findings, Mark::ok, "the subject as it is fails (+"));

  std::vector<Curve> repeats{subject(constant(3))};
  for (int seed = 1; seed <= 2; ++seed) {
    repeats.push_back(
        run(kTraining, {.rounding = 1e-3, .seed = 50 + static_cast<std::uint64_t>(seed), .fault = constant(3)}));
    repeats.back().perturbed = seed;
  }
  const auto more = found(one_reference(kTraining), repeats);
  CHECK_FALSE(says(more, Mark::warning, "no run of the reference shows"));
}

TEST_CASE("a subject that stays undecided is a warning, one without a verdict an error") {
  const Training rarely{.log = {.every = 10}};
  const auto undecided = found(one_reference(rarely), run(rarely, {.fault = from(40, 3)}));
  CHECK(says(undecided, Mark::warning, "is undecided; a search compares trials with each other"));
  Curve torn = subject(constant(0));
  torn.series["loss"].resize(200);
  CHECK(says(found(references(kTraining), torn), Mark::error, "gives no verdict"));
}
