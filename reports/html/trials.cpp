#include "reports/html/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/escape.hpp"
#include "reports/html/sections.hpp"
#include "reports/lookup.hpp"
#include "reports/result_lines.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {

namespace {

constexpr std::size_t kRows = 60;  // of 500 trials each: about half a megabyte

// Letters, which are read without colours and read aloud. Cells and rows need no closing tags, which keeps the page small.
const char* cell(const Trial& trial) {
  switch (trial.verdict) {
    case strategies::Verdict::pass: return "<td class=pass>P";
    case strategies::Verdict::fail: return "<td class=fail>F";
    default: return "<td class=open>?";
  }
}

std::vector<const Trial*> shown_trials(const Record& record) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : record.trials)
    if (judges_subject(trial)) trials.push_back(&trial);
  return trials;
}

bool is_culprit(const Record& record, std::size_t id) {
  return record.outcome == Outcome::culprits && std::ranges::binary_search(record.answer.culprit_set, id);
}

// A member of a cause that another one's neutralising breaks up.
bool is_partner(const Record& record, std::size_t id) {
  return record.outcome == Outcome::culprits &&
         std::ranges::any_of(record.answer.causes, [&](const auto& cause) { return std::ranges::count(cause, id) != 0; });
}

// Culprits, then their partners, then by guilt, then as listed.
std::vector<std::size_t> ranked(const Record& record) {
  const auto key = [&](std::size_t id) {
    return std::pair(is_culprit(record, id)   ? 0
                     : is_partner(record, id) ? 1
                                              : 2,
                     id < record.answer.guilt.size() ? -record.answer.guilt[id] : 0.0);
  };
  std::vector<std::size_t> ids = searched_suspects(record);
  std::ranges::stable_sort(ids, {}, key);
  return ids;
}

std::string head(const std::vector<const Trial*>& trials) {
  std::string numbers = "<thead>\n<tr><th scope=col>suspect<th scope=col>part<th scope=col>guilty";
  std::string measured = "<tr><th scope=row>measured<td><td>";
  for (const Trial* trial : trials) {
    numbers += fmt::format("<th scope=col><a href=\"#trial-{0}\" aria-label=\"trial {0}\">{0}</a>", trial->number);
    measured += "<td>" + html(measured_text(trial));
  }
  return numbers + "\n" + measured + "\n</thead>\n";
}

std::string row(const Record& record, const std::vector<const Trial*>& trials, std::size_t id) {
  const char* part = is_culprit(record, id) ? "culprit" : is_partner(record, id) ? "partner" : "";
  const auto& guilt = record.answer.guilt;
  std::string text =
      fmt::format("<tr><th scope=row{}{}>{}<td>{}<td>{}", *part ? " class=" : "", part, suspect_text(record, id, html), part,
                  id < guilt.size() ? fmt::format("{:.0f} %", 100 * guilt[id]) : "");
  for (const Trial* trial : trials)
    text += std::ranges::binary_search(trial->neutralised, id) ? cell(*trial) : "<td>\xC2\xB7";
  return text + "\n";
}

}  // namespace

std::string matrix(const Record& record) {
  const auto trials = shown_trials(record);
  if (trials.empty() || record.suspects.empty()) return "";
  const auto ids = ranked(record);
  const std::size_t rows = std::min(ids.size(), kRows);
  std::string text =
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"which trial neutralised which suspect\">"
      "<table class=\"matrix\">\n" +
      head(trials) + "<tbody>\n";
  for (std::size_t i = 0; i < rows; ++i) text += row(record, trials, ids[i]);
  text +=
      "</tbody></table></div>\n<p class=\"note\">One column per trial of the subject, in order. The suspect was neutralised "
      "in a trial that passed <i class=\"pass\">P</i>, failed <i class=\"fail\">F</i> or gave no verdict <i "
      "class=\"open\">?</i>, or it was active \xC2\xB7.";
  if (record.outcome == Outcome::culprits)
    text += " Culprits are in the culprit set, partners guilty only together with one of it.";
  if (rows < ids.size()) text += fmt::format(" The {} most suspicious of {}.", rows, ids.size());
  return text + "</p>\n";
}

namespace {

constexpr double kBar = 8, kGap = 2, kHalf = 20;  // pixels: width of a bar, between two, height above and below the middle

/// Bars up and down from the middle. Small differences must stay visible beside ones that are a hundred times as large:
/// heights are linear up to ten healthy spreads and logarithmic beyond.
std::string bars(const SignatureGroup& group, double greatest) {
  const auto height = [](double value) { return std::asinh(value / 10); };
  const double scale = greatest > 0 ? kHalf / height(greatest) : 0;
  std::string text = fmt::format(
      "<svg class=\"bars\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">",
      (kBar + kGap) * static_cast<double>(group.steps.size()), 2 * kHalf + 2, signature_size_text(group));
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    const double length = scale * std::abs(height(group.steps[i]));
    text += fmt::format("<rect class=\"{}\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\"/>",
                        group.steps[i] > 0 ? "above" : "below", (kBar + kGap) * static_cast<double>(i),
                        group.steps[i] > 0 ? kHalf + 1 - length : kHalf + 1, kBar, std::max(length, 0.5));
  }
  return text + "</svg>";
}

std::string trials(const SignatureGroup& group) {
  std::string text;
  for (const std::size_t number : group.trials)
    text += fmt::format("{0}<a href=\"#trial-{1}\">{1}</a>", text.empty() ? "" : ", ", number);
  return text;
}

}  // namespace

std::string signatures_section(const Record& record) {
  if (!shows_signatures(record)) return "";
  double greatest = 0;
  std::string rows;
  for (const SignatureGroup& group : record.signature_groups)
    for (const double step : group.steps) greatest = std::max(greatest, std::abs(step));
  for (const SignatureGroup& group : record.signature_groups)
    rows += fmt::format("<tr><td>{}<td>{}<td>{}<td>{}\n", bars(group, greatest), signature_size_text(group),
                        signature_causes_text(record, group, html), trials(group));
  return section("signatures", "How trials begin",
                 "<p>" + std::string(kWhatSignaturesShow) +
                     "</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"how trials begin\">"
                     "<table><thead><tr><th scope=\"col\">first steps<th scope=\"col\">off by<th scope=\"col\">active<th "
                     "scope=\"col\">trials</thead>"
                     "<tbody>\n" +
                     rows + "</tbody></table></div>\n");
}

}  // namespace bisectd::reports
