#include "reports/html/sections.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "reports/result_lines.hpp"
#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"
#include "reports/workaround.hpp"

namespace bisectd::reports {
namespace {

constexpr std::size_t kNamesInSet = 8;

using Cells = std::vector<std::string>;  // HTML already

std::string cells(const Cells& all) {
  std::string text;
  for (const std::string& cell : all) text += "<td>" + cell + "</td>";
  return text;
}

std::string row(const Cells& all) { return "<tr>" + cells(all) + "</tr>\n"; }

/// What a table is about is read aloud by those who scroll it with a keyboard.
std::string table(std::string_view id, std::string_view about, const Cells& head, const std::string& rows) {
  if (rows.empty()) return "";
  std::string heads;
  for (const std::string& cell : head) heads += "<th scope=\"col\">" + cell + "</th>";
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table id=\"{}\" "
      "class=\"cards\"><thead><tr>{}</tr>"
      "</thead><tbody>\n{}</tbody></table></div>\n",
      about, id, heads, rows);
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += "<li>" + item + "</li>\n";
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

std::string pill(std::string_view word) { return fmt::format("<span class=\"pill {0}\">{0}</span>", word); }

std::string fact(std::string_view what, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, value);
}

std::string set_html(const Record& record, const Trial& trial) {
  return trial.role == Role::reference ? "" : set_text(record, trial.neutralised, kNamesInSet, html);
}

std::string attempt_html(const Attempt& attempt) {
  std::string text = "<code>sh " + html(attempt.folder) + "/command.sh</code><br>";
  for (const std::string& known : {attempt.text, attempt.device})
    if (!known.empty()) text += html(known) + ", ";
  text += duration_text(attempt.duration_s) + "<br>";
  const char* separator = "";
  for (const char* file : {"stdout.log", "stderr.log", "command.sh"}) {
    text += fmt::format("{}<a href=\"{}/{}\">{}</a>", separator, html_link(attempt.folder), file, file);
    separator = " ";
  }
  return text;
}

/// Its sort key is the number itself: as text "inf" and what is no number would stand among the zeros.
std::string measured_cell(const Trial& trial) {
  const std::optional<double> decided = trial.decided_by ? trial.decided_by->delta : trial.delta;
  if (!decided) {
    const std::string text = measured_text(&trial);
    return "<td>" + (text == percent_text(std::nullopt) ? "" : html(text)) + "</td>";
  }
  const double delta = *decided;
  const std::string key = std::isinf(delta) ? (delta > 0 ? "Infinity" : "-Infinity") : fmt::format("{}", delta);
  return fmt::format("<td{}>{}</td>", std::isnan(delta) ? "" : " data-sort=\"" + key + "\"", html(measured_text(&trial)));
}

std::vector<std::string> reproductions(const Record& record) {
  std::vector<std::string> items;
  for (const Reproduction& one : record.reproductions)
    items.push_back(
        fmt::format("<details><summary>The smallest run with {} still active: trial {}</summary><pre>{}</pre></details>",
                    suspects_text(record, one.cause, html), one.trial, html_lines(one.script)));
  return items;
}

}  // namespace

std::string section(std::string_view id, std::string_view title, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, title, body);
}

std::string chart(std::string_view id, const std::string& label) {
  return fmt::format("<div class=\"chart\"><canvas id=\"{}\" role=\"img\" aria-label=\"{}\"></canvas></div>\n", id, label);
}

std::string facts_section(const Record& record) {
  std::string facts;
  const auto delta = [&](std::string_view what, const Trial* trial) {
    if (trial) facts += fact(what, html(measured_text(trial)) + " " + pill(verdict_word(trial->verdict)));
  };
  delta("as it is", as_is_trial(record));
  if (record.outcome == Outcome::culprits) delta("with the fix", fix_trial(record));
  if (!record.descent) delta("everything neutralised", judged_trial(record, Role::everything));
  facts += record.must_run_to ? fact("goal", fmt::format("runs to step {}", *record.must_run_to))
                              : fact("target", unsigned_percent_text(record.target));
  if (record.noise) facts += fact("run-to-run noise", unsigned_percent_text(*record.noise));
  facts += fact("references", std::to_string(record.references));
  facts += fact("suspects", std::to_string(searched_suspects(record).size()));
  facts += fact("trials", std::to_string(record.trials.size()));
  facts += fact("attempts", std::to_string(attempt_count(record)));
  facts += fact("duration", duration_text(record.elapsed_s));
  return "<section id=\"facts\"><dl>\n" + facts + "</dl></section>\n";
}

std::string proof_section(const Record& record) {
  if (!has_workaround(record)) return "";
  std::vector<std::string> causes;
  if (record.outcome == Outcome::culprits)
    for (const auto& cause : record.answer.causes) causes.push_back(cause_text(record, cause, html));
  std::string rows;
  for (const auto& [claim, text] : proof_lines(record, html)) {
    const Trial* trial = shown_by(record, *claim);
    rows += row({text, set_text(record, members(claim->neutralised), kNamesInSet, html), html(measured_text(trial)),
                 trial ? fmt::format("<a href=\"#trial-{0}\">{0}</a>", trial->number) : "none",
                 claim->proved ? pill("proved") : pill("open")});
  }
  const std::string controls = controls_text(record, html);
  return section("proof", "Causes and proof",
                 list(causes) + list(descent_texts(record, html)) +
                     table("claims", "what is proved", {"claim", "neutralised", "measured", "trial", "state"}, rows) +
                     (controls.empty() ? "" : "<p>" + controls + "</p>\n"));
}

std::string workaround_section(const Record& record) {
  if (!has_workaround(record)) return "";
  std::string shell;
  for (const std::string& statement : workaround_statements(record)) shell += html(statement) + "\n";
  std::string body = shell.empty() ? "" : "<pre>" + shell + "</pre>\n";
  std::vector<std::string> arguments;
  for (const std::string& argument : record.workaround_arguments)
    arguments.push_back("add the argument <code>" + html(shell_word(argument)) + "</code>");
  for (const std::string& setting : workaround_config_texts(record))
    arguments.push_back("set in <code>" + html(setting) + "</code>");
  body += list(arguments);
  if (const std::string cost = cost_text(record); !cost.empty()) body += "<p>" + cost + "</p>\n";
  body += list(other_fix_texts(record, html));
  if (const std::string soak = soak_text(record, html); !soak.empty()) body += "<p>" + soak + "</p>\n";
  std::string smallest;
  for (const std::string& one : reproductions(record)) smallest += one + "\n";
  return section("workaround", "Workaround", body) + section("reproductions", "Smallest reproduction", smallest);
}

std::string ladders_section(const Record& record) {
  std::string text;
  for (std::size_t i = 0; i < record.ladders.size(); ++i) {
    const Ladder& ladder = record.ladders[i];
    std::string rows;
    for (const Rung& rung : ladder.rungs)
      rows += row({html(rung.value), percent_text(rung.delta), pill(verdict_word(rung.verdict)),
                   fmt::format("<a href=\"#trial-{0}\">{0}</a>", rung.trial), std::string(rung_note(ladder, rung))});
    const std::string name = html(ladder.family), id = fmt::format("ladder-{}", i);
    text += section(id + "-section", "Values of " + name,
                    "<p>" + ladder_sentence(ladder, html) + "</p>\n" + chart(id, "difference over the values of " + name) +
                        table(id + "-table", "values of " + name, {"value", "measured", "verdict", "trial", "note"}, rows));
  }
  return text;
}

std::string notes_sections(const Record& record) {
  std::string text;
  for (const Notes& one : notes(record, html)) text += section(one.id, one.title, list(one.lines));
  return text;
}

std::string trials_section(const Record& record) {
  std::string rows;
  for (const Trial& trial : record.trials) {
    std::string attempts;
    for (const Attempt& attempt : trial.attempts) attempts += "<p>" + attempt_html(attempt) + "</p>";
    std::string notes = html(trial.text);
    for (const std::string& note : trial.notes) notes += "<br>" + html(note);
    rows += fmt::format("<tr id=\"trial-{0}\" data-number=\"{0}\" tabindex=\"-1\">", trial.number) +
            cells({std::to_string(trial.number), std::string(name_of(trial.role)), set_html(record, trial),
                   pill(state_word(trial))}) +
            measured_cell(trial) + cells({notes, attempts}) + "</tr>\n";
  }
  return section("trials", "Trials",
                 table("trial-table", "all trials",
                       {"trial", "role", "neutralised", "verdict", "measured", "why", "attempts"}, rows)) +
         (rows.empty() ? "" : "<p class=\"paper\">All trials are on the screen and in report.json.</p>\n");
}

std::string versions_section(const Record& record) {
  std::string rows;
  const auto row = [&](std::string_view what, const std::string& is) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", what, is);
  };
  row("bisectd", html(record.program_version));
  for (const auto& [what, version] : record.versions) row(html(what), html(version));
  for (const std::string& held : record.held) row("held", html(held));
  for (const std::string& check : record.agreed_checks) row("check " + html(check), "both sides agree");
  for (const auto& [side, reference] : {std::pair("reference", true), std::pair("subject", false)})
    if (const std::string_view text = perturbation_of(record, reference); !text.empty())
      row(fmt::format("perturbation of the {}'s repeats", side), html(std::string(text)));
  row("started", html(record.started_utc));
  row("experiment file", html(record.experiment_file));
  row("run directory", html(record.run_folder));
  return section("versions", "Versions, checks and places", "<table>\n" + rows + "</table>\n");
}

}  // namespace bisectd::reports
