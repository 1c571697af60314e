#include "reports/suite.hpp"

#include <pugixml.hpp>

#include "reports/junit.hpp"
#include "reports/lookup.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

SuiteEntry judged(const char* model, Record record) {
  record.experiment = model;
  return {.model = model, .state = EntryState::judged, .record = std::move(record), .link = "models/x/report.html"};
}

SuiteRecord sample_suite() {
  SuiteRecord suite{.name = "nightly", .folder = "/out/nightly", .started_utc = "2026-11-21T00:00:00Z", .elapsed_s = 60};
  suite.entries.push_back(judged("good", sample::aligned()));
  suite.entries.push_back(judged("bad", sample::culprits()));
  suite.entries.push_back({.model = "old", .state = EntryState::unchanged, .problem = "nothing changed"});
  suite.entries.push_back({.model = "lost", .state = EntryState::unjudged, .problem = "no baseline"});
  suite.entries[1].past = {{"2026-11-20T00:00:00Z", Outcome::aligned, 0.0001},
                           {"2026-11-21T00:00:00Z", Outcome::culprits, 0.031}};
  return suite;
}

}  // namespace

TEST_CASE("a model that regressed is red even where its search found no answer") {
  SuiteRecord suite;
  suite.entries.push_back(judged("bad", sample::culprits()));
  suite.entries[0].record->outcome = Outcome::inconclusive;
  CHECK(suite_outcome(suite) == Outcome::culprits);
}

TEST_CASE("where the subject as it is was tried several times, the trial that bears the answer out is told") {
  Record record = sample::culprits();
  Trial again = *as_is_trial(record);
  again.number = 99;
  again.verdict = bisectd::strategies::Verdict::inconclusive;
  again.reason = "noise";
  again.delta = 0.004;
  record.trials.push_back(again);
  CHECK(as_is_trial(record)->delta != again.delta);
  SuiteRecord suite;
  suite.entries.push_back(judged("bad", record));
  CHECK(suite_outcome(suite) == Outcome::culprits);
  CHECK(suite_text(suite, Colour::never).find("bad: culprits found, loss +3.10 %") == 0);
  CHECK(to_junit(record).find("<error") == std::string::npos);
  record.outcome = Outcome::inconclusive;
  CHECK(as_is_trial(record)->delta == again.delta);

  Record green = sample::aligned();
  again.verdict = bisectd::strategies::Verdict::fail;
  green.trials.push_back(again);
  suite.entries = {judged("good", green)};
  CHECK(suite_text(suite, Colour::never).find("1 model: 1 green, 0 regressed, 0 not judged") != std::string::npos);
}

TEST_CASE("a suite shows the difference of the metric that decided") {
  Record record = sample::culprits();
  for (Trial& trial : record.trials)
    if (trial.role == Role::as_is) trial.decided_by = {"acc", -0.0589};
  SuiteRecord suite;
  suite.entries.push_back(judged("bad", record));
  CHECK(suite_text(suite, Colour::never).find("bad: culprits found, acc -5.89 %") == 0);
  CHECK(suite_html(suite).find("<td>acc -5.89 %</td>") != std::string::npos);
}

TEST_CASE("the index links every report and shows the trend, and hostile text adds nothing") {
  const std::string page = suite_html(sample_suite());
  CHECK(page.find("<a href=\"models/x/report.html\">bad</a>") != std::string::npos);
  CHECK(page.find("<i class=\"pass\" role=\"img\" title=\"2026-11-20T00:00:00Z: aligned, +0.01 %\">") != std::string::npos);
  CHECK(page.find("</i> <i class=\"fail\" role=\"img\" title=\"2026-11-21T12:00:00Z: culprits, +3.10 %\">") !=
        std::string::npos);
  CHECK(page.find("no baseline") != std::string::npos);
  CHECK(page.find("ops:pad3d, flags:storage_format<br>cann 8.2 -&gt; 8.3.RC1 since") != std::string::npos);
  SuiteRecord resumed = sample_suite();
  resumed.entries[1].past[1].utc = "2026-11-21T12:00:00Z";
  CHECK(suite_html(resumed).find("12:00:00Z: culprits") == suite_html(resumed).rfind("12:00:00Z: culprits"));
  for (const std::string& text : sample::hostile()) {
    SuiteRecord suite{.name = text};
    suite.entries.push_back({.model = text, .state = EntryState::unjudged, .problem = text});
    suite.entries.push_back(judged(text.c_str(), sample::with(text)));
    suite.entries.back().past = {{text, Outcome::culprits, 0.1}};
    const std::string hostile = suite_html(suite);
    for (const char* element : {"<script", "<img", "<!--"}) CHECK(hostile.find(element) == std::string::npos);
    CHECK(hostile.find('\x1b') == std::string::npos);
    CHECK(suite_text(suite, Colour::never).find_first_of("\x1b\a") == std::string::npos);
    pugi::xml_document document;
    CHECK(document.load_string(to_junit(suite).c_str()));
  }
}
