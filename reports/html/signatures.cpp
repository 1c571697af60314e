#include "reports/html/signatures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/escape.hpp"
#include "reports/html/sections.hpp"
#include "reports/signatures.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
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
