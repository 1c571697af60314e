#include "driver/loop/conclusion.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

std::string advice_in_noise(strategies::State state, std::optional<strategies::Hidden> hidden = {}, bool exact = false,
                            const configs::Experiment& experiment = {}) {
  const neutralise::Environment environment;
  const neutralise::Rungs rungs;
  return conclude({.state = state, .hindrance = strategies::Hindrance::noise, .hidden = std::move(hidden)}, experiment, {},
                  {environment, rungs, environment}, {}, "", exact)
      .advice;
}

}  // namespace

TEST_CASE("what is advised against noise can be done: verdicts given by one target are not gone on with by another") {
  using Catch::Matchers::Matches;
  CHECK_THAT(advice_in_noise(strategies::State::searching),
             Matches(".*larger search.budget or more accept.max_repeats: `bisectd resume --accept-changes`; or start anew "
                     "with --new .*larger difference \\(accept.target\\)\\."));
  CHECK_THAT(advice_in_noise(strategies::State::stuck), !Matches(".*resume.*"));
  const strategies::Hidden hidden{.neutralised = {}, .trials = 3, .difference = -0.0066, .error = 0.0043, .as_is = 0.1727};
  CHECK_THAT(
      advice_in_noise(strategies::State::stuck, hidden),
      Matches(".*or accept a larger difference \\(`accept: \\{target: 1.6%\\}` may decide it, and the subject as it is "
              "is off by \\+17.27 %\\)\\."));
}

TEST_CASE(
    "where noise hides whether the subject as it is passes it is said what can be done, repeats only where they help") {
  using Catch::Matchers::Matches;
  configs::Experiment experiment;
  judge::Judgement hidden;
  hidden.text = "loss is 0.6 % above";
  CHECK_THAT(
      conclude_hidden(hidden, experiment, "the ends are alike").advice,
      Matches(
          ".*loss is 0.6 % above.*by the subject alone: the ends are alike. Next: .*`bisectd align`.*accept a larger.*"));
  hidden.noise = 0.004;
  CHECK_THAT(conclude_hidden(hidden, experiment, "").advice,
             Matches(".*Next: let both sides run more often \\(reference.repeats, now 3, .*"));
}

TEST_CASE("no repeats are advised where the runs repeat themselves and rounding is all the noise there is") {
  using Catch::Matchers::Matches;
  configs::Experiment experiment;
  CHECK_THAT(advice_in_noise(strategies::State::stuck, {}, true, experiment), Matches(".*reference.repeats.*"));
  experiment.reference.perturb.emplace();
  CHECK_THAT(advice_in_noise(strategies::State::stuck, {}, false, experiment), Matches(".*reference.repeats.*"));
  const std::string advice = advice_in_noise(strategies::State::stuck, {}, true, experiment);
  CHECK_THAT(advice, Matches(".*More repeats change nothing.*`bisectd align`.*") && !Matches(".*reference.repeats.*"));
}

}  // namespace bisectd::driver
