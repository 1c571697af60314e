// Numbers of files that somebody may have changed.
#include "driver/keep/whole_number.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver::keep {
namespace {

using nlohmann::json;

}  // namespace

TEST_CASE("whole numbers are taken as they are written, nothing else becomes one") {
  CHECK(whole_number(json::parse("17")) == 17);
  CHECK(whole_number<std::int64_t>(json::parse("-3")) == -3);
  CHECK(whole_number<int>(json::parse("2147483647")) == 2147483647);
  CHECK(whole_numbers(json::parse("[1, 0, 9]")) == std::vector<std::size_t>{1, 0, 9});
  const char* text = GENERATE("1.5", "9e99", "9222222222222222222222222222222222222", "-1", "\"1\"", "null", "[1]");
  CHECK_THROWS_WITH(whole_number(json::parse(text)), Catch::EndsWith("should be a whole number"));
  CHECK_THROWS_AS(whole_number<int>(json::parse("2147483648")), std::invalid_argument);
}

}  // namespace bisectd::driver::keep
