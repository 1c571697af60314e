// Files generated from templates, parsed back. tests/end_to_end/test_stacks.py has programs of other makers read them.
#include "driver/neutralise/generated_file.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

using namespace bisectd;
using configs::Delivery;
using configs::FileTemplate;
using driver::neutralise::file_of_names;
using driver::neutralise::joined_names;
using nlohmann::json;

namespace {

Delivery with_file(std::string content, bool is_json) {
  Delivery deliver{.environment = "FILE"};
  deliver.file = FileTemplate{.name = "f", .is_json = is_json, .content = std::move(content)};
  return deliver;
}

}  // namespace

TEST_CASE("in JSON a key or an item with {name} stands once for every name") {
  const auto deliver =
      with_file(R"({"Switch":{"GraphFusion":{"{name}":"off"},"UBFusion":{"{name}":"off"}},"n":3,"on":true})", true);
  const json file = json::parse(file_of_names(deliver, {"A", "B"}));
  CHECK(file ==
        json::parse(R"({"Switch":{"GraphFusion":{"A":"off","B":"off"},"UBFusion":{"A":"off","B":"off"}},"n":3,"on":true})"));
  const auto list =
      with_file(R"({"black-list":{"to-add":["Fixed","{name}"],"rules":[{"op":"{name}","all":"{names}"}]}})", true);
  CHECK(
      json::parse(file_of_names(list, {"A", "B"})) ==
      json::parse(R"({"black-list":{"to-add":["Fixed","A","B"],"rules":[{"op":"A","all":"A,B"},{"op":"B","all":"A,B"}]}})"));
}

TEST_CASE("no key stands twice in JSON, and inside its own part a name is not repeated") {
  CHECK(file_of_names(with_file(R"({"{name}":"off","A":"on","C":"on"})", true), {"A", "B"}) ==
        "{\n  \"A\": \"off\",\n  \"B\": \"off\",\n  \"C\": \"on\"\n}\n");
  CHECK(json::parse(file_of_names(with_file(R"({"{name}":{"{name}":"off","all":"{names}"}})", true), {"A", "B"})) ==
        json::parse(R"({"A":{"A":"off","all":"A,B"},"B":{"B":"off","all":"A,B"}})"));
}

TEST_CASE("names with quotes, backslashes and braces keep whole in JSON") {
  const auto deliver = with_file(R"({"off":["{name}"],"by":{"{name}":"{{name}}"}})", true);
  const std::vector<std::string> odd{R"(a"b\c)", "{name}", "损", "x/y:z"};
  const json file = json::parse(file_of_names(deliver, odd));
  CHECK(file.at("off").get<std::vector<std::string>>() == odd);
  for (const std::string& name : odd) CHECK(file.at("by").at(name) == "{name}");
}

TEST_CASE("names are joined as the delivery writes each") {
  Delivery deliver{.environment = "OPTIMIZATION", .each = "{name}:off", .separator = ";"};
  CHECK(joined_names(deliver, {"P1", "P2"}) == "P1:off;P2:off");
  CHECK(configs::name_enders(deliver) == std::vector<std::string>{";", ":"});
}
