// report.html as text; what a browser makes of it is in tests/end_to_end/test_page.py.
#include <limits>
#include <nlohmann/json.hpp>

#include "reports/escape.hpp"
#include "reports/html/head.hpp"
#include "reports/html/data.hpp"
#include "reports/html/trials.hpp"
#include "reports/html/page.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using nlohmann::json;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the policy names an asset by its hash") {
  const Asset nothing{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"};
  CHECK(policy_source(nothing) == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST_CASE("report.html says the result without any script") {
  const std::string page = to_html(sample::culprits());
  CHECK(contains(page, "<h1>rec: culprits found</h1>"));
  CHECK(contains(page, "Confidence 99.23 %.</p>"));
  CHECK(contains(page, "<li>ops:matmul_v2 and flags:storage_format only together (with loss_scale at 1024)</li>"));
  CHECK(contains(page, "<pre>export CUSTOM_DEVICE_BLACK_LIST=&#39;pad3d&#39;\n"));
  CHECK(contains(page,
                 "<td>only ops:pad3d active: fails</td><td>all but ops:pad3d</td><td>+1.80 %</td>"
                 "<td><a href=\"#trial-7\">7</a></td>"));
  CHECK(contains(page, "<code>sh trials/0007/attempt-1/command.sh</code>"));
  for (const std::string file : {"stdout.log", "stderr.log", "command.sh"})
    CHECK(contains(page, "<a href=\"./trials/0007/attempt-1/" + file + "\">" + file + "</a>"));
  CHECK(contains(page,
                 "<td>1024</td><td>0 %</td><td><span class=\"pill pass\">pass</span></td>"
                 "<td><a href=\"#trial-12\">12</a></td><td>recommended</td>"));
  const json chart = json::parse(chart_data(sample::culprits())).at("ladders").at(0);
  CHECK(chart == json::parse(R"({"values": ["1", "64", "1024", "65536"], "deltas": [0.2, 0.0001, 0, null],
                                 "verdicts": ["fail", "pass", "pass", "unresolved"]})"));
}

TEST_CASE("report.html says by which metric the ends were judged, and what was noted of the subject") {
  Record record = sample::culprits();
  for (Trial& trial : record.trials) {
    trial.decided_by = {"acc", -0.052};
    trial.notes = {"a single NaN"};
  }
  const std::string page = to_html(record);
  CHECK(contains(page, "<dd>acc -5.20 % <span class=\"pill fail\">fail</span></dd>"));
  CHECK(contains(page, "<h2>Noted of the subject</h2>\n<ul>\n<li>with the culprit set neutralised: a single NaN</li>"));
}

TEST_CASE("report.html shows what was given and what changed") {
  const std::string page = to_html(sample::culprits());
  CHECK(contains(page, "<tr><th scope=\"row\">check dataset</th><td>both sides agree</td></tr>"));
  CHECK(contains(page, "<h2>Changed since the baseline</h2>\n<ul>\n<li>cann 8.2 -&gt; 8.3.RC1 since"));
  CHECK(contains(page, "<summary>The smallest run with ops:pad3d still active: trial 7</summary><pre>#!/bin/sh\nexport "));
  CHECK_FALSE(contains(page, "<h2>Warnings</h2>"));
}

TEST_CASE("report.html does not call a run judged that was only measured, and names no device where there is none") {
  Record record = sample::culprits();
  record.trials[0].reason = "measured";
  record.trials[0].attempts[0].device = "";
  const std::string page = to_html(record);
  CHECK(contains(page, "<td>1</td><td>reference</td><td></td><td><span class=\"pill measured\">measured</span></td>"));
  CHECK(contains(page, "attempt-1/command.sh</code><br>exited 0, 2.1 s<br><a "));
  const json bar = json::parse(chart_data(record)).at("timeline").at(0);
  CHECK(bar.at("device") == "no device");
  CHECK(bar.at("verdict") == "measured");
}

TEST_CASE("report.html has no section for a chart without a line") {
  Record record = sample::culprits();
  record.other_metrics.push_back({.name = "grad_norm"});
  for (Trial& trial : record.trials) trial.attempts.clear();
  const std::string page = to_html(record);
  CHECK(contains(page, "id=\"other-0-section\""));
  CHECK_FALSE(contains(page, "id=\"other-1-section\""));
  CHECK_FALSE(contains(page, "id=\"timeline-section\""));
}

TEST_CASE("report.html accuses nobody without a result") {
  Record record = sample::culprits();
  record.outcome = Outcome::inconclusive;
  record.answer.hindrance = bisectd::strategies::Hindrance::control;
  const std::string page = to_html(record);
  for (const char* part : {"id=\"proof\"", "id=\"workaround\"", "class=culprit", "with the fix"})
    CHECK_FALSE(contains(page, part));
}

TEST_CASE("report.html allows no network, no foreign script and no foreign style") {
  const std::string page = to_html(sample::culprits());
  CHECK(contains(page, "content=\"default-src 'none'; style-src 'sha256-"));
  CHECK_FALSE(contains(page, "unsafe"));
  CHECK_FALSE(contains(page, " style=\""));
  CHECK_FALSE(contains(page, " src="));
}

TEST_CASE("hostile text adds no element to report.html") {
  const std::string plain_page = to_html(sample::with("text"));
  for (const std::string& text : sample::hostile()) {
    if (text.empty()) continue;  // leaves paragraphs out
    INFO(plain(text));
    const std::string page = to_html(sample::with(text));
    for (const char* element : {"<script", "</script", "<img", "<style", "<!--", "<td", "<a ", "=\""})
      CHECK(count(page, element) == count(plain_page, element));
    CHECK_FALSE(contains(page, "\x1b"));
  }
}

TEST_CASE("chart data is rounded JSON with gaps for what is not finite") {
  Record record = sample::culprits();
  record.reference_curve.values[0] = 7.123456789;
  const std::string text = chart_data(record);
  CHECK_FALSE(contains(text, "<"));
  const json data = json::parse(text);
  CHECK(data.at("charts").size() == 3);
  CHECK(data.at("charts").at(0).at("lines").at(0) ==
        json::parse(R"({"name": "reference", "steps": [20, 40, 60], "values": [7.12346, 7.2, 7.0]})"));
  CHECK(data.at("trials").at(3).at("values") == json::parse("[7.5, null, 7.1]"));
  CHECK(data.at("timeline").at(1) ==
        json::parse(R"({"trial": 2, "device": "npu 0", "verdict": "fail", "start": 4.0, "end": 6.1})"));
}

TEST_CASE("chart data survives extreme values") {
  Record record = sample::aligned();
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  record.reference_curve = {{1, 2, 3, 4}, {huge, -huge, tiny, 0}};
  const json values = json::parse(chart_data(record)).at("charts").at(0).at("lines").at(0).at("values");
  CHECK(values.at(0).is_number());
  CHECK(values.at(2).is_number());
  CHECK(values.at(3) == 0);
}

TEST_CASE("the matrix shows every judged trial of the subject, culprits first") {
  const std::string text = matrix(sample::culprits());
  CHECK(contains(text,
                 "<tr><th scope=col>suspect<th scope=col>part<th scope=col>guilty"
                 "<th scope=col><a href=\"#trial-2\" aria-label=\"trial 2\">2</a>"));
  CHECK(contains(
      text,
      "<tr><th scope=row>measured<td><td><td>+3.10 %<td>+0.02 %<td>+0.01 %<td>+1.80 %<td>+1.30 %<td>+1.80 %<td>nan<td>"));
  CHECK(contains(text,
                 "<tr><th scope=row class=culprit>ops:pad3d<td>culprit<td>100 %<td>·<td class=pass>P<td class=pass>P<td>·"
                 "<td class=fail>F<td>·<td class=fail>F<td class=pass>P"));
  CHECK(text.find("flags:storage_format") < text.find("ops:matmul_v2"));
  CHECK(contains(text, "<th scope=row class=partner>ops:matmul_v2<td>partner<td>20 %"));
  CHECK(text.find("ops:matmul_v2") < text.find("ops:conv2d"));
  CHECK(matrix(Record{}).empty());
}

TEST_CASE("what was measured carries its number, and words carry none") {
  Record record = sample::culprits();
  record.trials[1].delta = std::numeric_limits<double>::infinity();
  record.trials[3].delta = -std::numeric_limits<double>::infinity();
  record.trials[4].delta.reset();  // of a failure that was certain before its end
  const std::string page = to_html(record);
  CHECK(contains(page, "<td data-sort=\"Infinity\">inf</td>"));
  CHECK(contains(page, "<td data-sort=\"-Infinity\">-inf</td>"));
  CHECK(contains(page, "<td data-sort=\"0.013\">+1.30 %</td>"));
  CHECK(contains(page, "<td>nan</td>"));
  CHECK(contains(page, "<td>ended early</td>"));
}

TEST_CASE("the matrix says when it leaves suspects out") {
  Record record = sample::culprits();
  record.suspects.resize(1024, {"ops", "other"});
  CHECK(contains(matrix(record), "The 60 most suspicious of 1024."));
}

TEST_CASE("the charts that are judged carry the end of the part that agrees, in words, too") {
  Record record = sample::culprits();
  CHECK(json::parse(chart_data(record)).at("comparable_end") == nullptr);
  CHECK_FALSE(contains(to_html(record), "Dashed line"));
  record.trials[1].comparable_until = 40;
  CHECK(json::parse(chart_data(record)).at("comparable_end") == 40);
  const std::string page = to_html(record);
  CHECK(count(page, ", agrees up to step 40\"></canvas>") == 2);
  CHECK(count(page, "<p class=\"note\">Dashed line: up to step 40 the subject as it is agrees") == 2);
}
