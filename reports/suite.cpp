#include "reports/suite.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.hpp"
#include "reports/html/assets.hpp"
#include "reports/html/head.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

constexpr std::size_t kTrend = 30;

bool is_green(const SuiteEntry& entry) {
  return entry.state == EntryState::unchanged || (entry.record && entry.record->outcome == Outcome::aligned);
}

bool is_regression(const SuiteEntry& entry) {
  if (!entry.record) return false;
  const Outcome outcome = entry.record->outcome;
  if (outcome == Outcome::aligned) return false;
  if (outcome == Outcome::culprits || outcome == Outcome::outside_suspects) return true;
  const Trial* as_is = as_is_trial(*entry.record);
  return as_is && as_is->verdict == strategies::Verdict::fail;
}

std::string state_text(const SuiteEntry& entry) {
  switch (entry.state) {
    case EntryState::waiting: return "waiting";
    case EntryState::unchanged: return "unchanged";
    case EntryState::unjudged: return "not judged";
    case EntryState::judged: break;
  }
  return std::string(outcome_title(*entry.record));
}

const Trial* as_is_of(const SuiteEntry& entry) { return entry.record ? as_is_trial(*entry.record) : nullptr; }

/// By the metric that decided.
std::optional<double> delta_of(const SuiteEntry& entry) {
  const Trial* as_is = as_is_of(entry);
  if (as_is && as_is->decided_by) return as_is->decided_by->delta;
  return as_is ? as_is->delta : std::nullopt;
}

/// "loss +3.10 %", of the metric that decided.
std::string difference_text(const SuiteEntry& entry) {
  const Trial* as_is = as_is_of(entry);
  const std::string measured = measured_text(as_is);
  return as_is && as_is->decided_by ? measured : plain(entry.record->metric) + " " + measured;
}

std::string detail(const SuiteEntry& entry, Escape escape) {
  if (!entry.record) return escape(entry.problem);
  if (entry.record->outcome == Outcome::culprits)
    return suspects_text(*entry.record, entry.record->answer.culprit_set, escape);
  return entry.record->outcome == Outcome::aligned ? "" : escape(entry.record->advice);
}

std::string counts_text(const SuiteRecord& suite) {
  const auto green = std::ranges::count_if(suite.entries, is_green);
  const auto red = std::ranges::count_if(suite.entries, is_regression);
  const auto all = static_cast<std::ptrdiff_t>(suite.entries.size());
  return fmt::format("{} model{}: {} green, {} regressed, {} not judged", all, all == 1 ? "" : "s", green, red,
                     all - green - red);
}

/// Shapes, not only colours, tell outcomes apart.
std::string trend_mark(const TrendPoint& point) {
  const bool green = point.outcome == Outcome::aligned;
  const bool red = point.outcome == Outcome::culprits || point.outcome == Outcome::outside_suspects;
  return fmt::format("<i class=\"{}\" role=\"img\" title=\"{}: {}, {}\">{}</i>",
                     green ? "pass"
                     : red ? "fail"
                           : "open",
                     html(point.utc), outcome_word(point.outcome), percent_text(point.delta),
                     green ? "\xE2\x97\x8F"
                     : red ? "\xE2\x96\xB2"
                           : "\xE2\x97\x8B");
}

/// Earlier results, then this one.
std::string trend(const SuiteEntry& entry) {
  std::string text;
  const std::size_t first = entry.past.size() > kTrend ? entry.past.size() - kTrend : 0;
  const auto& record = entry.record;
  for (std::size_t i = first; i < entry.past.size(); ++i)  // this one is among them if the suite was resumed
    if (!record || entry.past[i].utc != record->started_utc) text += trend_mark(entry.past[i]);
  if (record) text += " " + trend_mark({record->started_utc, record->outcome, delta_of(entry)});
  return text;
}

/// What a reader of the index wants to know of a model: who is guilty, or why nothing is known; and what was upgraded.
std::string found(const SuiteEntry& entry) {
  std::string text = detail(entry, html);
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "<br>") + html(line); };
  if (!entry.record) return text;
  if (!is_green(entry)) std::ranges::for_each(entry.record->changes, add);
  for (const std::string& warning : entry.record->warnings) add("warning: " + warning);
  return text;
}

std::string row(const SuiteEntry& entry) {
  const std::string model = html(entry.model);
  const char* colour = is_green(entry) ? "pass" : is_regression(entry) ? "fail" : "open";
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td><span class=\"pill {}\">{}</span></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      entry.link.empty() ? model : fmt::format("<a href=\"{}\">{}</a>", html(entry.link), model), colour, state_text(entry),
      entry.record ? html(measured_text(as_is_of(entry))) : "", found(entry), trend(entry));
}

}  // namespace

std::string entry_line(const SuiteEntry& entry) {
  std::string text = fmt::format("{}: {}", plain(entry.model), state_text(entry));
  if (entry.record) text += ", " + difference_text(entry);
  const std::string more = detail(entry, plain);
  return more.empty() ? text : text + ": " + more;
}

std::string suite_text(const SuiteRecord& suite, Colour colour) {
  std::string text;
  for (const SuiteEntry& entry : suite.entries) {
    const auto style = fmt::fg(is_green(entry)        ? fmt::terminal_color::green
                               : is_regression(entry) ? fmt::terminal_color::red
                                                      : fmt::terminal_color::yellow);
    const std::string line = entry_line(entry);
    text += (colour == Colour::always ? fmt::format(style, "{}", line) : line) + "\n";
    if (!entry.record) continue;
    for (const std::string& warning : entry.record->warnings) text += "  warning: " + plain(warning) + "\n";
  }
  return text + fmt::format("\n{}, {}. Report: {}/index.html\n", counts_text(suite), duration_text(suite.elapsed_s),
                            plain(suite.folder));
}

std::string suite_html(const SuiteRecord& suite) {
  std::string rows;
  for (const SuiteEntry& entry : suite.entries) rows += row(entry);
  const Outcome mood = std::ranges::any_of(suite.entries, is_regression) ? Outcome::culprits
                       : suite_outcome(suite) == Outcome::aligned        ? Outcome::aligned
                                                                         : Outcome::inconclusive;
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {0}; base-uri 'none'; "
      "form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{1}: {2}</title>\n<style>{3}</style>\n</head>\n"
      "<body>\n<header class=\"{4}\">\n<h1>{1}</h1>\n<p class=\"verdict\">{2}.</p>\n</header>\n<main>\n<section>\n"
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"all models\"><table id=\"models\" "
      "class=\"cards\"><thead><tr>"
      "<th scope=\"col\">model</th><th scope=\"col\">result</th><th scope=\"col\">against the reference</th>"
      "<th scope=\"col\">found</th><th scope=\"col\">trend</th></tr></thead><tbody>\n{5}</tbody></table></div>\n<p "
      "class=\"note\">Trend, oldest first, this result apart: agreed "
      "<i class=\"pass\">\xE2\x97\x8F</i>, regressed <i class=\"fail\">\xE2\x96\xB2</i>, no answer "
      "<i class=\"open\">\xE2\x97\x8B</i>. Started {6}, {7}.</p>\n</section>\n</main>\n</body>\n</html>\n",
      policy_source(kPageStyle), html(suite.name), counts_text(suite), kPageStyle.text, outcome_word(mood), rows,
      html(suite.started_utc), duration_text(suite.elapsed_s));
}

Outcome suite_outcome(const SuiteRecord& suite) {
  // First: a pipeline that lets an open model pass must not let a regression pass with it.
  if (std::ranges::any_of(suite.entries, is_regression)) return Outcome::culprits;
  return std::ranges::all_of(suite.entries, is_green) ? Outcome::aligned : Outcome::inconclusive;
}

}  // namespace bisectd::reports
