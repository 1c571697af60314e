#include "reports/json.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using nlohmann::json;

TEST_CASE("who deviates and does no harm, of both searches") {
  Record record = sample::culprits();
  record.descent = Descent{};
  record.descent->before.harmless_deviations = {{5, 30}, {0, 12}};
  CHECK(json::parse(to_json(record)).at("harmless_deviations") ==
        json::parse(
            R"([{"family": "ops", "name": "softmax", "size": 34.4}, {"family": "ops", "name": "conv2d", "size": 12}])"));
}

TEST_CASE("report.json accuses nobody before the end") {
  Record record = sample::culprits();
  for (const Outcome outcome : {Outcome::unfinished, Outcome::inconclusive, Outcome::infrastructure}) {
    record.outcome = outcome;
    const json report = json::parse(to_json(record));
    CHECK(report.at("culprit_set").empty());
    CHECK(report.at("causes").empty());
    CHECK(report.at("suspects").at(1).at("guilt") == 0.999);
  }
}

TEST_CASE("report.json says non-finite values in words") {
  Record record = sample::aligned();
  const double infinite = std::numeric_limits<double>::infinity();
  record.reference_curve.values = {infinite, -infinite, std::numeric_limits<double>::quiet_NaN()};
  CHECK(json::parse(to_json(record)).at("curves").at("reference").at("values") == json({"inf", "-inf", "nan"}));
}

TEST_CASE("report.json puts every trial on a line of its own") {
  const std::string text = to_json(sample::aligned());
  CHECK(text.find("\n    {\"number\":2,\"role\":\"as-is\",") != std::string::npos);
}

TEST_CASE("report.json is ASCII and keeps hostile text as data") {
  for (const std::string& text : sample::hostile()) {
    const std::string written = to_json(sample::with(text));
    CHECK(written.find_first_not_of("\n"
                                    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                                    "abcdefghijklmnopqrstuvwxyz{|}~") == std::string::npos);
    const json report = json::parse(written);
    const bool valid = text.find('\xff') == std::string::npos;
    if (valid) CHECK(report.at("metric") == text);
  }
}

TEST_CASE("report.json says up to where the subject as it is agrees") {
  Record record = sample::culprits();
  CHECK(nlohmann::json::parse(to_json(record)).at("comparable_until") == nullptr);
  record.trials[1].comparable_until = 40;
  CHECK(nlohmann::json::parse(to_json(record)).at("comparable_until") == 40);
}
