#include "driver/loop/conclusion.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

std::string advice_in_noise(strategies::State state) {
  const neutralise::Environment environment;
  const neutralise::Rungs rungs;
  return conclude({.state = state, .hindrance = strategies::Hindrance::noise}, {}, {}, {environment, rungs, environment}, {},
                  "")
      .advice;
}

}  // namespace

TEST_CASE("what is advised against noise can be done: verdicts given by one target are not gone on with by another") {
  using Catch::Matchers::Matches;
  CHECK_THAT(advice_in_noise(strategies::State::searching),
             Matches(".*larger search.budget or more accept.max_repeats: `bisectd resume --accept-changes`; or start anew "
                     "with --new .*larger difference \\(accept.target\\)\\."));
  CHECK_THAT(advice_in_noise(strategies::State::stuck), !Matches(".*resume.*"));
}

}  // namespace bisectd::driver
