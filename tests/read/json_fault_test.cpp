// What people are told of a JSON file that is broken.
#include "driver/read/json_fault.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver::read {
namespace {

std::string fault_of(std::string_view text) {
  try {
    nlohmann::json::parse(text).at("points").get<std::string>();
  } catch (const nlohmann::json::exception& error) {
    return json_fault(text, error);
  }
  return {};
}

}  // namespace

TEST_CASE("a place that is no JSON is named by its line and column") {
  CHECK(fault_of("{\"a\": 1,\n \"b\": x}") == "line 2, column 7: no JSON from here on");
  CHECK(fault_of("loss 1.5") == "line 1, column 1: no JSON from here on");
  CHECK(fault_of("{\n}\n}") == "line 3, column 1: no JSON from here on");
}

TEST_CASE("a file that ends too soon is told apart from one that is wrong") {
  CHECK(fault_of("{\"a\": 1,\n \"b\"") == "it ends in the middle of line 2, as if cut off");
  CHECK(fault_of("") == "it is empty");
  CHECK(fault_of(" \n") == "it is empty");
}

TEST_CASE("of a wrong key or type only the sentence is said") {
  CHECK(fault_of("{}") == "key 'points' not found");
  CHECK(fault_of("{\"points\": 1}") == "type must be string, but is number");
}

}  // namespace bisectd::driver::read
