// Numbers and "key: value" as logs have them.
#include "driver/read/fields.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

using namespace bisectd::driver::read;

TEST_CASE("numbers as programs print them") {
  CHECK(number("26.935681") == 26.935681);
  CHECK(number("-1.5e-3") == -1.5e-3);
  CHECK(number("+2") == 2.0);
  CHECK(number("1.046E+01") == 10.46);
  CHECK(number(".5") == 0.5);
  CHECK(number("6.98xx") == 6.98);  // padded
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* nan : {"nan", "NaN", "NAN", "-nan", "1.#QNAN", "-1.#IND", "1.#QNAN0", "nanxxx"}) {
    REQUIRE(number(nan));
    CHECK(std::isnan(*number(nan)));
  }
  for (const char* inf : {"inf", "Infinity", "+inf", "1.#INF", "1e999"}) CHECK(number(inf) == infinity);
  CHECK(number("-inf") == -infinity);
  CHECK(number("1e-999") == 0.0);
}

TEST_CASE("what is not wholly a number is none") {
  for (const char* text : {"", "-", "+-1", "--1", "abc", "1.5x2", "1.5.2", "0x10", "nanny", "1,5", "None", "n/a", " 1"})
    CHECK_FALSE(number(text));
}

TEST_CASE("a key is found where it starts a word and a separator follows") {
  CHECK(after_key("CTCLoss: 1, train_loss: 2, a.loss: 3, loss: 4", "loss") == "4");
  CHECK(after_key("{'loss': '0.5'}", "loss") == "0.5'}");
  CHECK(after_key("loss=2.5", "loss") == "2.5");
  CHECK(after_key("loss scale: 1.0 | loss : 2.0", "loss") == "2.0");
  CHECK_FALSE(after_key("the loss is high", "loss"));
  CHECK_FALSE(after_key("loss", "loss"));
}

TEST_CASE("counts in their many shapes") {
  CHECK(count_after("iter: 20/500,", "iter")->value->count() == 20);
  CHECK(count_after("iter: 20/500,", "iter")->value->of == 500);
  CHECK(count_after("step:[    2/  100], loss", "step")->value->of == 100);
  CHECK(count_after("iteration       10/     100 |", "iteration")->value->count() == 10);
  CHECK(count_after("global_step: 140, lr", "global_step")->value->count() == 140);
  CHECK(count_after("global_step: 4611686018427387904,", "global_step")->value->number == std::ldexp(1, 62));
  CHECK_FALSE(count_after("global_step: -1", "global_step"));
  CHECK_FALSE(count_after("global_step: 1.5", "global_step"));
  CHECK_FALSE(count_after("global_step: 99999999999999999999", "global_step"));
  CHECK_FALSE(count_after("iters: 5", "iter"));
}
