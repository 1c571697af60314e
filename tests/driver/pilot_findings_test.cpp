// What a few runs show of the night to come: a training whose rounding grows by a tenth each step.
#include "driver/loop/pilot_findings.hpp"

#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"
#include "tests/judge/curves.hpp"

using namespace bisectd;
using namespace bisectd::driver;
using namespace bisectd::tests;
using Mark = PilotLine::Mark;

namespace {

constexpr std::int64_t kSteps = 400;

using Fault = std::function<double(std::int64_t)>;

Curve run(
    double size, double growth, double side, const Fault& fault = [](std::int64_t) { return 1.0; }) {
  return curve(kSteps, [=](std::int64_t step) {
    const double grown = size * std::exp(growth * static_cast<double>(step - 1));
    return plain_loss(step) * (1 + side * grown / (1 + grown / 0.02)) * fault(step);
  });
}

/// The one without a perturbation, four of float32's size, three of float16's.
std::vector<Curve> references(double growth) {
  std::vector<Curve> runs;
  for (const double side : {0.2, -1.3, 0.9, 0.4, -0.7}) runs.push_back(run(1e-7, growth, side));
  for (const double side : {1.0, -0.8, 0.5}) runs.push_back(run(4e-4, growth, side));
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  return runs;
}

configs::Experiment experiment() {
  configs::Experiment one;
  one.metrics.push_back({.name = "loss"});
  return one;
}

PilotFindings found(const std::vector<Curve>& runs, const Curve& subject, const configs::Experiment& by = experiment()) {
  return pilot_findings(by, runs, std::vector<Curve>{subject});
}

bool says(const PilotFindings& findings, Mark mark, const std::string& words) {
  return std::ranges::any_of(findings.lines, [&](const PilotLine& line) {
    return line.mark == mark && line.text.find(words) != std::string::npos;
  });
}

const Fault kFromTheStart = [](std::int64_t) { return 1.03; };

}  // namespace

TEST_CASE("a fault that shows in the comparable part is told with the shortest run that shows it") {
  auto wanted = experiment();
  const auto findings = found(references(0.04), run(1e-7, 0.04, 0.5, kFromTheStart), wanted);
  CHECK(says(findings, Mark::ok, " of 400: from there on two healthy runs differ by more than "));
  CHECK(says(findings, Mark::ok, "the subject as it is fails (+"));
  CHECK(says(findings, Mark::ok, "a run of 150 steps shows it with a margin"));
  CHECK(says(findings, Mark::ok, "that saves 62 % of a trial"));
  CHECK(says(findings, Mark::ok, "nothing needs to be changed"));
  CHECK_FALSE(says(findings, Mark::ok, "steps: 150"));
  wanted.steps = kSteps;
  CHECK(says(found(references(0.04), run(1e-7, 0.04, 0.5, kFromTheStart), wanted), Mark::ok, "(`steps: 150`)"));
}

TEST_CASE("a healthy subject passes, and no run is proposed") {
  const auto findings = found(references(0.04), run(1e-7, 0.04, -0.6));
  CHECK(says(findings, Mark::ok, "passes, so there is nothing to search"));
  CHECK_FALSE(says(findings, Mark::ok, "a run of"));
  CHECK(findings.spread_known);
  CHECK(findings.rounds_like_float32);
  CHECK_FALSE(found(references(0.04), run(4e-4, 0.04, -0.6)).rounds_like_float32);
}

TEST_CASE("a fault that shows late needs the whole run") {
  const auto findings =
      found(references(0.001), run(1e-7, 0.001, 0.5, [](std::int64_t step) { return step > 300 ? 1.03 : 1.0; }));
  CHECK(says(findings, Mark::ok, "comparable up to its last step, 400"));
  CHECK(says(findings, Mark::ok, "fails (+"));
  CHECK_FALSE(says(findings, Mark::ok, "a run of"));
  CHECK(says(findings, Mark::ok, "so no shorter"));
}

TEST_CASE("where no part is comparable, an error says what to do") {
  const auto findings = found(references(1.5), run(1e-7, 1.5, 0.5, kFromTheStart));
  CHECK(says(findings, Mark::error, "no part of the run is comparable"));
  CHECK(says(findings, Mark::error, "larger accept.target"));
  CHECK_FALSE(says(findings, Mark::ok, "a run of"));
}

TEST_CASE("one reference does not tell what is comparable") {
  const auto findings = found({run(1e-7, 0.04, 0.2)}, run(1e-7, 0.04, 0.5, kFromTheStart));
  CHECK(says(findings, Mark::warning, "cannot be known"));
  CHECK_FALSE(says(findings, Mark::ok, "a run of"));
  CHECK_FALSE(findings.spread_known);
}

TEST_CASE("perturbed references that logged the same do not tell it yet, and are not said to be unperturbed") {
  std::vector<Curve> runs(5, run(1e-7, 0.04, 0.2));
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  auto by = experiment();
  by.reference.perturb.emplace();
  CHECK(says(found(runs, runs.front(), by), Mark::warning, "from these 5 runs of the reference, which logged the same"));
  CHECK(says(found(runs, runs.front()), Mark::warning, "Without `perturb`"));
}

TEST_CASE("a reference that logged nothing is no ground for more runs") {
  const auto findings = found({curve_of({}, "accuracy")}, run(1e-7, 0.04, 0.5));
  CHECK_FALSE(findings.usable);
  CHECK(says(findings, Mark::error, "the reference cannot be used"));
}
