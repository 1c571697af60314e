#include "strategies/logarithm.hpp"

#include "strategies/random.hpp"
#include "tests/catch.hpp"

namespace bisectd::strategies {

TEST_CASE("the logarithm that is the same on every machine is the logarithm") {
  for (int power = -1000; power <= 1000; power += 50)
    CHECK_THAT(portable_log2(std::ldexp(1.0, power)), Catch::Matchers::WithinAbs(power, 1e-11));
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double x = std::ldexp(0.5 + random.unit(), static_cast<int>(random.below(200)) - 100);
    REQUIRE_THAT(portable_log2(x), Catch::Matchers::WithinAbs(std::log2(x), 1e-11));
    REQUIRE_THAT(portable_ln(x), Catch::Matchers::WithinAbs(std::log(x), 1e-11));
  }
}

}  // namespace bisectd::strategies
