#include "driver/learn/value.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

using namespace bisectd::driver::learn;

TEST_CASE("numbers are found in every spelling") {
  const auto number = [](std::string_view text) {
    const auto found = find_value(text, 0);
    REQUIRE(found);
    REQUIRE(found->value);
    return *found->value;
  };
  CHECK(number("loss: 6.98").number == 6.98);
  CHECK(number("lr=1e-05,").number == 1e-5);
  CHECK(number("1.046E+01 |").number == 10.46);
  CHECK(number("at -5.").number == -5);
  CHECK(number("loss:6.98xx").number == 6.98);  // padded
  CHECK_FALSE(number("loss:6.98xx").has_unit);
  CHECK(number("[ 5/1000]").of == 1000);
  CHECK(number("step 5 of 1000").of == 1000);
  CHECK(number("17.2G").has_unit);
  CHECK(number(" 3%|").percent);
  CHECK(number("42").whole);
  CHECK_FALSE(number("42.0").whole);
}

TEST_CASE("what is not finite is a number in every spelling") {
  for (const char* spelling : {"nan", "NaN", "nanxxx", "nan.", "None", "null", "1.#QNAN", "-1.#IND00", "NaN!", "n/a"}) {
    CAPTURE(spelling);
    const auto found = find_value(std::string("loss: ") + spelling + " lr", 0);
    REQUIRE(found);
    CHECK(std::isnan(found->value->number));
  }
  CHECK(find_value("loss: infxxx,", 0)->value->number == INFINITY);
  CHECK(find_value("loss: -inf,", 0)->value->number == -INFINITY);
  CHECK_FALSE(find_value("info: nanometers, infinitely, inference", 0));
}

TEST_CASE("dates, times, versions and parts of words are no numbers") {
  CHECK_FALSE(find_value("2025-03-01 10:00:00,123", 0)->value);
  CHECK_FALSE(find_value("[09/15 16:14:56]", 0)->value);
  CHECK_FALSE(find_value("1 day, 2:03:04", 0)->value);
  CHECK_FALSE(find_value("torch-2.7.1 resnet50 v2 a_1 #3", 0));
}
