#include "reports/junit.hpp"

#include <algorithm>
#include <limits>
#include <pugixml.hpp>

#include "reports/escape.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using bisectd::strategies::Verdict;

namespace {

pugi::xml_document parsed(const Record& record) {
  pugi::xml_document document;
  REQUIRE(document.load_string(to_junit(record).c_str(), pugi::parse_default | pugi::parse_ws_pcdata));
  return document;
}

// "passed", or the name and type of the case's result.
std::string result(const Record& record, const char* name) {
  const pugi::xml_document document = parsed(record);
  const pugi::xml_node one = document.select_node((std::string("//testcase[@name='") + name + "']").c_str()).node();
  REQUIRE(one);
  for (const char* element : {"failure", "error", "skipped"})
    if (one.child(element)) return std::string(element) + " " + one.child(element).attribute("type").value();
  return "passed";
}

}  // namespace

TEST_CASE("junit.xml of an aligned run") {
  CHECK(to_junit(sample::aligned()) == R"(<?xml version="1.0"?>
<testsuites>
  <testsuite name="bisectd.rec" tests="3" failures="0" errors="0" skipped="0" time="8.400" timestamp="2026-11-21T12:00:00Z">
    <properties>
      <property name="cann" value="8.3.RC1" />
      <property name="paddle" value="3.3.1" />
    </properties>
    <testcase classname="bisectd.rec" name="reference.runs" time="2.100" />
    <testcase classname="bisectd.rec" name="accuracy.loss" time="2.100" />
    <testcase classname="bisectd.rec" name="search.answer" time="2.100" />
  </testsuite>
</testsuites>
)");
}

TEST_CASE("a regression is a failure whose text tells the whole story") {
  const Record record = sample::culprits();
  CHECK(result(record, "reference.runs") == "passed");
  CHECK(result(record, "accuracy.loss") == "failure accuracy");
  CHECK(result(record, "search.answer") == "passed");
  const pugi::xml_document document = parsed(record);
  const std::string text = document.select_node("//failure").node().text().get();
  CHECK(text.rfind("loss of the subject as it is differs from the reference by +3.10 % (target 0.5 %). "
                   "ops:pad3d and flags:storage_format make loss leave the reference: ",
                   0) == 0);
  CHECK(text.find("export FLAGS_npu_storage_format='0'") != std::string::npos);
}

TEST_CASE("no answer is never green") {
  Record record = sample::culprits();
  for (const auto& [outcome, expected] :
       {std::pair{Outcome::inconclusive, "error inconclusive"},
        std::pair{Outcome::outside_suspects, "error outside_suspects"},
        std::pair{Outcome::infrastructure, "error infrastructure"}, std::pair{Outcome::unfinished, "skipped "}}) {
    record.outcome = outcome;
    CHECK(result(record, "search.answer") == expected);
    CHECK(result(record, "accuracy.loss") == "failure accuracy");
  }
  record.trials[1].verdict = Verdict::unresolved;
  CHECK(result(record, "accuracy.loss") == "error unresolved");
  record.trials[1].verdict = Verdict::inconclusive;
  CHECK(result(record, "accuracy.loss") == "error inconclusive");
  record.references = 0;
  CHECK(result(record, "reference.runs") == "error reference");
  record.trials.clear();
  CHECK(result(record, "accuracy.loss") == "skipped ");
  CHECK(result(record, "reference.runs") == "skipped ");
}

TEST_CASE("hostile text stays text in junit.xml") {
  for (const std::string& text : sample::hostile()) {
    INFO(plain(text));
    Record record = sample::with(text);
    const std::string xml = to_junit(record);
    CHECK(std::ranges::all_of(xml, [](unsigned char c) { return c >= 0x20 || c == '\n' || c == '\t'; }));
    const pugi::xml_document document = parsed(record);
    CHECK_FALSE(document.select_node("//script"));
    CHECK(std::string(document.select_node("//failure").node().text().get()).find(plain(text)) != std::string::npos);
  }
}

TEST_CASE("impossible times do not break junit.xml") {
  Record record = sample::aligned();
  record.elapsed_s = -1;
  record.trials[0].attempts[0].duration_s = std::numeric_limits<double>::infinity();
  record.started_utc = "yesterday";
  const pugi::xml_document document = parsed(record);
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  CHECK(std::string(suite.attribute("time").value()) == "0.000");
  CHECK_FALSE(suite.attribute("timestamp"));
}
