// How trials begin, in report.html and report.md.
#include "reports/result_lines.hpp"

#include "reports/html/trials.hpp"
#include "reports/markdown.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

namespace bisectd::reports {
namespace {

Record grouped() {
  Record record = sample::culprits();
  record.suspects[record.answer.causes.at(0).front()].name = "<b>";
  record.signature_groups = {{{1, -2}, 1.58, {}, {3, 4}}, {{900, -40}, 637, {0}, {2}}};
  return record;
}

TEST_CASE("report.html shows each way to begin with its bars, its causes and its trials") {
  const std::string page = signatures_section(grouped());
  CHECK(page.find("<rect") != std::string::npos);
  CHECK(page.find("1.6 healthy spreads") != std::string::npos);
  CHECK(page.find("637 healthy spreads") != std::string::npos);
  CHECK(page.find("no cause") != std::string::npos);
  CHECK(page.find("href=\"#trial-4\"") != std::string::npos);
  CHECK(page.find("&lt;b&gt;") != std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
}

TEST_CASE("what only some trials of a row had active is said, and is not \"no cause\"") {
  Record record = grouped();
  record.signature_groups[0].causes_of_some = {0};
  const std::string page = signatures_section(record);
  CHECK(page.find("not in all of them: ") != std::string::npos);
  CHECK(page.find("no cause") == std::string::npos);
}

TEST_CASE("bars keep their sign, and the greatest fills its half") {
  const std::string page = signatures_section(grouped());
  CHECK(page.find("class=\"above\" x=\"0\" y=\"1.0\" width=\"8\" height=\"20.0\"") != std::string::npos);
  CHECK(page.find("class=\"below\" x=\"10\" y=\"21.0\"") != std::string::npos);
}

TEST_CASE("one way to begin is no picture, and without an answer no cause is named") {
  Record record = grouped();
  record.outcome = Outcome::inconclusive;
  CHECK(signatures_section(record).find("not known yet") != std::string::npos);
  record.signature_groups.pop_back();
  CHECK(signatures_section(record).empty());
  CHECK(to_markdown(record).find("How trials begin") == std::string::npos);
}

TEST_CASE("report.md lists the same") {
  const std::string text = to_markdown(grouped());
  CHECK(text.find("| 637 healthy spreads |") != std::string::npos);
  CHECK(text.find("| 3, 4 |") != std::string::npos);
}

}  // namespace
}  // namespace bisectd::reports
