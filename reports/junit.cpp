#include "reports/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "reports/console.hpp"
#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

struct Case {
  std::string name;
  double time_s = 0;
  std::string element;  ///< failure, error or skipped; empty: passed
  std::string type;
  std::string message;
};

// Surefire's schema wants three decimals and neither signs nor words.
std::string seconds_text(double seconds) {
  return fmt::format("{:.3f}", std::isfinite(seconds) && seconds > 0 ? seconds : 0.0);
}

double time_of_roles(const Record& record, bool reference) {
  double sum = 0;
  for (const Trial& trial : record.trials)
    if ((trial.role == Role::reference) == reference)
      for (const Attempt& attempt : trial.attempts) sum += attempt.duration_s;
  return sum;
}

std::string reason_text(const Trial& trial) {
  return fmt::format("trial {}: {} ({})", trial.number, verdict_word(trial.verdict), plain(trial.reason));
}

Case reference_case(const Record& record) {
  Case one{"reference.runs", time_of_roles(record, true)};
  const Trial* trial = judged_trial(record, Role::reference);
  if (record.references > 0) return one;
  one.element = trial ? "error" : "skipped";
  one.type = "reference";
  one.message = trial ? reason_text(*trial) : "no reference was judged";
  return one;
}

Case accuracy_case(const Record& record) {
  const Trial* trial = as_is_trial(record);
  Case one{"accuracy." + plain(record.metric)};  // one name, whichever metric decides, or pipelines show two tests
  if (!trial) {
    one.element = "skipped";
    one.message = "the subject as it is was not judged";
    return one;
  }
  for (const Attempt& attempt : trial->attempts) one.time_s += attempt.duration_s;
  switch (trial->verdict) {
    case strategies::Verdict::pass: return one;
    case strategies::Verdict::fail:
      one.element = "failure";
      one.type = "accuracy";
      if (record.must_run_to)
        one.message =
            fmt::format("the subject as it is does not run: {}. {}", reason_text(*trial), verdict_sentence(record, plain));
      else
        one.message = fmt::format("{} of the subject as it is differs from the reference by {} (target {}). {}",
                                  plain(deciding_metric(record, trial)), decided_text(*trial),
                                  unsigned_percent_text(record.target), verdict_sentence(record, plain));
      return one;
    default:
      one.element = "error";
      one.type = verdict_word(trial->verdict);
      one.message = reason_text(*trial);
      return one;
  }
}

Case answer_case(const Record& record) {
  Case one{"search.answer", time_of_roles(record, false)};
  if (record.outcome == Outcome::culprits || record.outcome == Outcome::aligned) return one;
  one.element = record.outcome == Outcome::unfinished ? "skipped" : "error";
  one.type = outcome_word(record.outcome);
  one.message = verdict_sentence(record, plain);
  return one;
}

void append_result(pugi::xml_node& parent, const Case& one, const std::string& story) {
  pugi::xml_node node = parent.append_child(one.element.c_str());
  node.append_attribute("message") = one.message.c_str();
  if (one.element == "skipped") return;
  node.append_attribute("type") = one.type.c_str();
  // GitLab shows only the text, so it opens with the message.
  node.text() = (one.message + "\n\n" + story).c_str();
}

// Digits and marks of ISO 8601 with Z; Jenkins drops a suite's time if it cannot read it.
bool is_timestamp(const std::string& text) {
  return text.size() >= 20 && text.back() == 'Z' && text.find_first_not_of("0123456789-:.TZ") == std::string::npos;
}

// Jenkins splits a class name at its dots into package and class.
std::string class_name(const std::string& experiment) {
  std::string name = plain(experiment);
  std::ranges::replace(name, '.', '_');
  return "bisectd." + name;
}

std::size_t count(const std::vector<Case>& cases, std::string_view element) {
  return static_cast<std::size_t>(std::ranges::count(cases, element, &Case::element));
}

struct Suite {
  std::string class_name;
  std::vector<Case> cases;
  double time_s = 0;
  std::string timestamp;
  std::map<std::string, std::string> versions;
  std::string story;  ///< the text below the message of whatever is not green
};

void append_suite(pugi::xml_node suites, const Suite& suite) {
  pugi::xml_node node = suites.append_child("testsuite");
  node.append_attribute("name") = suite.class_name.c_str();
  node.append_attribute("tests") = suite.cases.size();
  node.append_attribute("failures") = count(suite.cases, "failure");
  node.append_attribute("errors") = count(suite.cases, "error");
  node.append_attribute("skipped") = count(suite.cases, "skipped");
  node.append_attribute("time") = seconds_text(suite.time_s).c_str();
  if (is_timestamp(suite.timestamp)) node.append_attribute("timestamp") = suite.timestamp.c_str();
  // The schema wants at least one property where there are properties.
  pugi::xml_node properties = suite.versions.empty() ? pugi::xml_node() : node.append_child("properties");
  for (const auto& [name, value] : suite.versions) {
    pugi::xml_node property = properties.append_child("property");
    property.append_attribute("name") = plain(name).c_str();
    property.append_attribute("value") = plain(value).c_str();
  }
  for (const Case& one : suite.cases) {
    pugi::xml_node test = node.append_child("testcase");
    test.append_attribute("classname") = suite.class_name.c_str();
    test.append_attribute("name") = one.name.c_str();
    test.append_attribute("time") = seconds_text(one.time_s).c_str();
    if (!one.element.empty()) append_result(test, one, suite.story);
  }
}

Suite suite_of(const Record& record) {
  return {class_name(record.experiment),
          {reference_case(record), accuracy_case(record), answer_case(record)},
          record.elapsed_s,
          record.started_utc,
          record.versions,
          result_text(record, Colour::never)};
}

/// A model without a record: only the case that is always there.
Suite suite_of(const SuiteEntry& entry) {
  if (entry.record) return suite_of(*entry.record);
  const bool unchanged = entry.state == EntryState::unchanged;
  return {class_name(entry.model),
          {{"search.answer", 0, unchanged ? "skipped" : "error", "not-judged", plain(entry.problem)}},
          0,
          "",
          {},
          ""};
}

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace

std::string to_junit(const Record& record) {
  pugi::xml_document document;
  append_suite(document.append_child("testsuites"), suite_of(record));
  return text_of(document);
}

std::string to_junit(const SuiteRecord& suite) {
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  for (const SuiteEntry& entry : suite.entries) append_suite(suites, suite_of(entry));
  return text_of(document);
}

}  // namespace bisectd::reports
