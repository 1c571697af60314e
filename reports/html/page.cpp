#include "reports/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/escape.hpp"
#include "reports/html/assets.hpp"
#include "reports/html/data.hpp"
#include "reports/html/head.hpp"
#include "reports/html/trials.hpp"
#include "reports/html/sections.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

std::string head(const Record& record) {
  return page_head(html(record.experiment) + ": " + std::string(outcome_title(record)),
                   std::array{kChartLibrary, kPageScript});
}

/// For who does not see the charts, and for all who wonder what their dashed line means.
std::string comparable_note(const Record& record) {
  const auto end = comparable_end(record);
  return end ? fmt::format(
                   "<p class=\"note\">Dashed line: up to step {} the subject as it is agrees; behind it this log cannot "
                   "tell.</p>\n",
                   *end)
             : "";
}

/// ". At the end: reference 7, as it is 7.2": the chart for who does not see it.
std::string last_values(const Record& record) {
  std::string text;
  const auto add = [&](const char* name, const Line& line) {
    if (!line.values.empty())
      text += fmt::format("{}{} {:.5g}", text.empty() ? ". At the end: " : ", ", name, line.values.back());
  };
  add("reference", record.reference_curve);
  add("as it is", record.as_is_curve);
  add("fix", record.fix_curve);
  return text;
}

std::string charts(const Record& record) {
  std::string text;
  const auto end = comparable_end(record);
  const std::string mark = end ? fmt::format(", agrees up to step {}", *end) : "", note = comparable_note(record);
  const std::string metric = html(record.metric);
  if (!record.reference_curve.values.empty() || !record.as_is_curve.values.empty())
    text +=
        section("curves-section", metric,
                chart("curves", metric + " of reference, subject and fix over steps" + last_values(record) + mark) + note);
  if (!record.as_is_difference.values.empty() || !record.fix_difference.values.empty())
    text +=
        section("differences-section", "Relative difference",
                chart("differences", "difference of " + metric + " to the reference, with the accepted zone" + mark) + note);
  for (std::size_t i = 0; i < record.other_metrics.size(); ++i) {
    const OtherMetric& other = record.other_metrics[i];
    if (other.reference.values.empty() && other.as_is.values.empty() && other.fix.values.empty()) continue;
    const std::string name = html(other.name);
    text += section(fmt::format("other-{}-section", i), name, chart(fmt::format("other-{}", i), name + " over steps"));
  }
  return text;
}

std::string timeline(const Record& record) {
  const auto was_started = [](const Trial& trial) { return !trial.attempts.empty(); };
  if (std::ranges::none_of(record.trials, was_started)) return "";
  return section("timeline-section", "Timeline",
                 chart("timeline", "attempts per device") +
                     "<p class=\"note\">Attempts: <i class=\"pass\">\xE2\x96\xA0</i> of trials that passed, "
                     "<i class=\"fail\">\xE2\x96\xA0</i> failed, <i class=\"measured\">\xE2\x96\xA0</i> were "
                     "measured only, <i class=\"open\">\xE2\x96\xA0</i> gave no verdict or still run.</p>\n");
}

}  // namespace

std::string to_html(const Record& record) {
  const std::string advice = record.advice.empty() ? "" : "<p class=\"advice\">" + html(record.advice) + "</p>\n";
  return head(record) +
         fmt::format(
             "<body>\n<header class=\"{}\">\n<h1>{}: {}</h1>\n<p class=\"verdict\">{}</p>\n{}</header>\n"
             "<main>\n",
             outcome_word(record.outcome), html(record.experiment), outcome_title(record), verdict_sentence(record, html),
             advice) +
         facts_section(record) + proof_section(record) + workaround_section(record) + ladders_section(record) +
         notes_sections(record) + charts(record) + signatures_section(record) +
         section("matrix-section", "Trials and suspects", matrix(record)) + timeline(record) + trials_section(record) +
         versions_section(record) + "</main>\n<script type=\"application/json\" id=\"data\">" + chart_data(record) +
         "</script>\n<script>" + std::string(kChartLibrary.text) + "</script>\n<script>" + std::string(kPageScript.text) +
         "</script>\n</body>\n</html>\n";
}

}  // namespace bisectd::reports
