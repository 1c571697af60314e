// Numbers, durations and shares as people write them, and the forms that YAML would read as something else.
#include "configs/scalar.hpp"

#include <string>

#include "tests/catch.hpp"

namespace bisectd::configs {
namespace {

Value bare(std::string text) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = std::move(text);
  return value;
}
Value quoted_scalar(std::string text) {
  Value value = bare(std::move(text));
  value.quoted = true;
  return value;
}
Parsed<std::int64_t> whole(const Value& value) { return whole_number_of(value, -10, 1000); }
Parsed<double> number(const Value& value) { return number_of(value, -1e6, 1e6); }

}  // namespace

TEST_CASE("whole numbers are plain decimal digits") {
  CHECK(whole(bare("0")) == 0);
  CHECK(whole(bare("42")) == 42);
  CHECK(whole(bare("-7")) == -7);
  for (const char* wrong : {"", "010", "-01", "0x10", "0o7", "1e3", "1.0", "+1", "1_000", " 1", "1 ", "yes", "1001", "-11",
                            "99999999999999999999", "-", "1,000", "１"})
    CHECK_FALSE(whole(bare(wrong)));
  CHECK_FALSE(whole(quoted_scalar("42")));
  CHECK_FALSE(whole(Value{}));
}

TEST_CASE("numbers are finite decimals") {
  CHECK(number(bare("0.5")) == 0.5);
  CHECK(number(bare("-2")) == -2.0);
  CHECK(number(bare("1e3")) == 1000.0);
  for (const char* wrong :
       {"", ".nan", "nan", ".inf", "inf", "-inf", "010", "00.5", "0x1p3", "1e999", "1.", "1e", "half", "1.5x"})
    CHECK_FALSE(number(bare(wrong)));
  CHECK_FALSE(number(quoted_scalar("0.5")));
}

TEST_CASE("only true and false are truth values") {
  CHECK(boolean_of(bare("true")) == true);
  CHECK(boolean_of(bare("false")) == false);
  for (const char* wrong : {"yes", "no", "on", "off", "True", "TRUE", "1", "0", "y", ""})
    CHECK_FALSE(boolean_of(bare(wrong)));
  CHECK_FALSE(boolean_of(quoted_scalar("true")));
}

TEST_CASE("durations carry a unit") {
  CHECK(duration_of(bare("500ms")) == std::chrono::milliseconds(500));
  CHECK(duration_of(bare("90s")) == std::chrono::seconds(90));
  CHECK(duration_of(bare("30m")) == std::chrono::minutes(30));
  CHECK(duration_of(bare("1.5h")) == std::chrono::minutes(90));
  CHECK(duration_of(quoted_scalar("2d")) == std::chrono::hours(48));
  CHECK(duration_of(bare("0s")) == std::chrono::seconds(0));
  for (const char* wrong : {"", "30", "m", "30 m", "1:30", "-1s", "31d", "nanm", "infs", "1e9h", "5min", "010s", "1.s"})
    CHECK_FALSE(duration_of(bare(wrong)));
  CHECK(duration_of(bare("30")).error().hint == "add the unit, for example `30s`");
}

TEST_CASE("shares are percentages, because a bare number could mean either") {
  CHECK(share_of(bare("0.5%")) == 0.005);
  CHECK(share_of(bare("0.5 %")) == 0.005);
  CHECK(share_of(quoted_scalar("99%")) == 0.99);
  for (const char* wrong : {"", "%", "0%", "100%", "500%", "-1%", "0.5", "0.005", "half%", "nan%", "1%%", ".5.%"})
    CHECK_FALSE(share_of(bare(wrong)));
  CHECK(share_of(bare("0.005")).error().hint == "write `0.005%`, or `0.5%` if a fraction is meant");
  CHECK(share_of(bare("5")).error().hint == "write it with %");
}

}  // namespace bisectd::configs
