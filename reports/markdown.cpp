#include "reports/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/result_lines.hpp"
#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"
#include "reports/workaround.hpp"

namespace bisectd::reports {
namespace {

constexpr std::size_t kNamesInSet = 8;

std::string section(std::string_view title, const std::string& body) {
  return body.empty() ? "" : fmt::format("\n## {}\n\n{}", title, body);
}

std::string items(const std::vector<std::string>& lines) {
  std::string body;
  for (const std::string& line : lines) body += "- " + line + "\n";
  return body;
}

std::string measured_cell(const Trial* trial) {
  return trial && trial->decided_by ? markdown_cell(measured_text(trial)) : measured_text(trial);
}

std::string measured_row(const Record& record, std::string_view what, const Trial* trial) {
  if (!trial) return "";
  return fmt::format("| {} | {} | {} | {} |\n", what, record.must_run_to ? markdown_cell(trial->text) : measured_cell(trial),
                     verdict_word(trial->verdict), trial->number);
}

std::string measured(const Record& record) {
  const std::string rows = measured_row(record, "subject as it is", as_is_trial(record)) +
                           measured_row(record, "culprit set neutralised", fix_trial(record)) +
                           measured_row(record, "everything neutralised", judged_trial(record, Role::everything));
  if (rows.empty()) return "";
  if (record.must_run_to) return "\n| | how it went | verdict | trial |\n|---|---|---|---|\n" + rows;
  std::string text = fmt::format("\n| | {} against the reference | verdict | trial |\n|---|---|---|---|\n{}",
                                 markdown_cell(record.metric), rows);
  text += fmt::format("\nTarget {}", unsigned_percent_text(record.target));
  if (record.noise) text += fmt::format(", run-to-run noise {}", unsigned_percent_text(*record.noise));
  return text + fmt::format(" ({} distinct reference{}).\n", record.references, record.references == 1 ? "" : "s");
}

std::string culprits(const Record& record) {
  std::vector<std::string> lines;
  for (const std::size_t id : record.answer.culprit_set) lines.push_back(suspect_text(record, id, markdown_code));
  return items(lines);
}

std::string causes(const Record& record) {
  std::vector<std::string> lines;
  for (const auto& cause : record.answer.causes) lines.push_back(cause_text(record, cause, markdown_code));
  return items(lines);
}

std::string proof(const Record& record) {
  std::string rows;
  for (const auto& [claim, text] : proof_lines(record, markdown_cell)) {
    const Trial* trial = shown_by(record, *claim);
    rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", text,
                        set_text(record, members(claim->neutralised), kNamesInSet, markdown_cell),
                        verdict_word(claim->expected), measured_cell(trial), trial ? std::to_string(trial->number) : "none",
                        claim->proved ? "proved" : "**not proved**");
  }
  if (rows.empty()) return "";
  const std::string controls = controls_text(record, markdown_code);
  return "| claim | neutralised | expected | measured | trial | |\n|---|---|---|---|---|---|\n" + rows +
         (controls.empty() ? "" : "\n" + controls + "\n");
}

std::string workaround(const Record& record) {
  std::string shell;
  for (const std::string& statement : workaround_statements(record)) shell += statement + "\n";
  std::string body = shell.empty() ? "" : markdown_block(shell, "sh");
  if (!record.workaround_arguments.empty()) {
    body += std::string(body.empty() ? "" : "\n") + "Arguments to add to the training command:\n\n";
    std::string arguments;
    for (const std::string& argument : record.workaround_arguments) arguments += shell_word(argument) + "\n";
    body += markdown_block(arguments, "sh");
  }
  if (!record.workaround_config.empty()) {
    body += std::string(body.empty() ? "" : "\n") + "Values to change in configuration files (file: key: value):\n\n";
    std::string settings;
    for (const std::string& setting : workaround_config_texts(record)) settings += setting + "\n";
    body += markdown_block(settings, "yaml");
  }
  const auto paragraph = [&](const std::string& text) { body += (body.empty() ? "" : "\n") + text + "\n"; };
  if (const std::string cost = cost_text(record); !cost.empty()) paragraph(cost);
  for (const std::string& other : other_fix_texts(record, markdown_code)) paragraph(other);
  if (const std::string soak = soak_text(record, markdown_code); !soak.empty()) paragraph(soak);
  return body;
}

std::string ladders(const Record& record) {
  std::string text;
  for (const Ladder& ladder : record.ladders) {
    std::string rows;
    for (const Rung& rung : ladder.rungs)
      rows += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_cell(rung.value), percent_text(rung.delta),
                          verdict_word(rung.verdict), rung.trial, rung_note(ladder, rung));
    text += section("Values of " + markdown_code(ladder.family),
                    ladder_sentence(ladder, markdown_code) +
                        "\n\n| value | measured | verdict | trial | |\n|---|---|---|---|---|\n" + rows);
  }
  return text;
}

std::string signatures(const Record& record) {
  if (!shows_signatures(record)) return "";
  std::string rows;
  for (const SignatureGroup& group : record.signature_groups)
    rows += fmt::format("| {} | {} | {} |\n", signature_size_text(group),
                        signature_causes_text(record, group, markdown_cell), fmt::join(group.trials, ", "));
  return std::string(kWhatSignaturesShow) + "\n\n| off by | active | trials |\n|---|---|---|\n" + rows;
}

std::string versions(const Record& record) {
  std::vector<std::string> lines{"bisectd " + markdown_code(record.program_version)};
  for (const auto& [what, version] : record.versions) lines.push_back(markdown_code(what) + " " + markdown_code(version));
  for (const std::string& held : record.held) lines.push_back("held on both sides: " + markdown_code(held));
  for (const std::string& check : record.agreed_checks)
    lines.push_back("check " + markdown_code(check) + ": both sides agree");
  for (const auto& [side, reference] : {std::pair("reference", true), std::pair("subject", false)})
    if (const std::string_view text = perturbation_of(record, reference); !text.empty())
      lines.push_back(fmt::format("repeats of the {} were perturbed: {}", side, markdown_code(std::string(text))));
  return items(lines);
}

/// Whole scripts, because whoever mends the operator does not have the run directory.
std::string smallest_reproduction(const Record& record) {
  std::string text;
  for (const Reproduction& one : record.reproductions) {
    const bool fails_only_together = one.cause.size() > 1;
    text += fmt::format("{}With everything but {} neutralised (trial {}). Once {} neutralised too, it passes.\n\n{}",
                        text.empty() ? "" : "\n", suspects_text(record, one.cause, markdown_code), one.trial,
                        fails_only_together ? "any of them is" : "it is", markdown_block(one.script, "sh"));
  }
  return text;
}

std::string reproduction_line(std::string_view what, const Trial* trial) {
  const Attempt* attempt = trial ? attempt_to_run_again(*trial) : nullptr;
  if (!attempt) return "";
  return fmt::format("- {}: {}\n", what, markdown_code("sh " + attempt->folder + "/command.sh"));
}

std::string reproduction(const Record& record) {
  std::string lines = reproduction_line("reference", judged_trial(record, Role::reference)) +
                      reproduction_line("subject as it is", as_is_trial(record));
  for (const strategies::Claim& claim : record.answer.certificate)
    if (claim.kind == strategies::Claim::Kind::cause_fails && claim.proved)
      lines += reproduction_line(claim_text(record, claim, markdown_code), shown_by(record, claim));
  lines += reproduction_line("culprit set neutralised", fix_trial(record));
  if (lines.empty()) return "";
  return fmt::format("In {}; every attempt's log is beside its command.\n\n{}", markdown_code(record.run_folder), lines);
}

}  // namespace

std::string to_markdown(const Record& record) {
  const bool accused = record.outcome == Outcome::culprits;
  std::string text = fmt::format("# Accuracy of {}: {}\n\n**{}**\n", markdown_code(record.experiment), outcome_title(record),
                                 verdict_sentence(record, markdown_code));
  if (!record.advice.empty()) text += "\n" + markdown_block(record.advice, "");
  text += measured(record);
  if (accused)
    text += section("Culprit set", culprits(record)) + section("Causes", causes(record)) +
            section("Two searches", items(descent_texts(record, markdown_code)));
  if (has_workaround(record)) text += section("Proof", proof(record)) + section("Workaround", workaround(record));
  text += section("How trials begin", signatures(record));
  text += ladders(record);
  for (const Notes& one : notes(record, markdown_code)) text += section(one.title, items(one.lines));
  text += section("Smallest reproduction", accused ? smallest_reproduction(record) : "");
  text += section("Versions", versions(record));
  text += section("How to reproduce", reproduction(record));
  return text + fmt::format("\n{}, {}, {}; started {}.\n", counted(record.trials.size(), "trial"),
                            counted(attempt_count(record), "attempt"), duration_text(record.elapsed_s),
                            markdown_code(record.started_utc));
}

}  // namespace bisectd::reports
