#include "reports/html/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/escape.hpp"
#include "reports/html/head.hpp"
#include "reports/html/sections.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {
namespace {

// Units of the picture's own; the page scales it.
constexpr double kWidth = 1000, kHeight = 260, kLeft = 50, kRight = 10, kTop = 30, kBottom = 10;
constexpr int kDecades = 7;  ///< 1e-7, as float32 rounds, to 1
constexpr std::size_t kMostMarks = 400, kMostRows = 2000;

using Read = AlignedError AlignedModule::*;

double x_of(std::size_t at, std::size_t count) {
  return kLeft + (kWidth - kLeft - kRight) * (static_cast<double>(at) + 0.5) / static_cast<double>(count);
}

double y_of(double error) {
  const double decades = error > 0 ? std::clamp(std::log10(error) + kDecades, 0.0, double{kDecades}) : 0.0;
  return kHeight - kBottom - (kHeight - kTop - kBottom) * decades / kDecades;
}

std::string axis() {
  std::string text;
  for (int decade = 0; decade <= kDecades; ++decade) {
    const double y = y_of(std::pow(10.0, decade - kDecades));
    text += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft, y,
        kWidth - kRight, kLeft - 6, y + 4, decade == kDecades ? "1" : fmt::format("1e-{}", kDecades - decade));
  }
  return text;
}

/// What healthy runs differ by, as an area from the bottom up.
std::string band(const Alignment& alignment, Read read) {
  if (!alignment.healthy_known) return "";
  const std::size_t count = alignment.modules.size();
  std::string path = fmt::format("M{:.1f} {}", x_of(0, count), kHeight - kBottom);
  for (std::size_t i = 0; i < count; ++i)
    path += fmt::format("L{:.1f} {:.1f}", x_of(i, count), y_of((alignment.modules[i].*read).healthy));
  return fmt::format("<path class=\"band\" d=\"{}L{:.1f} {}Z\"/>\n", path, x_of(count - 1, count), kHeight - kBottom);
}

std::string line(const Alignment& alignment, Read read) {
  std::string path;
  for (std::size_t i = 0; i < alignment.modules.size(); ++i)
    if (const AlignedError& error = alignment.modules[i].*read; error.known)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(i, alignment.modules.size()), y_of(error.error));
  return path.empty() ? "" : fmt::format("<path class=\"error\" d=\"{}\"/>\n", path);
}

/// What agrees is a dot, what is off a cross: the shape tells them apart, too.
std::string marks(const Alignment& alignment, Read read) {
  const std::size_t count = alignment.modules.size();
  std::size_t left = kMostMarks;
  std::string text;
  for (std::size_t i = 0; i < count && left > 0; ++i) {
    const AlignedModule& module = alignment.modules[i];
    const AlignedError& error = module.*read;
    if (!error.known || (!error.off && count > kMostMarks)) continue;
    --left;
    const double x = x_of(i, count), y = y_of(error.error);
    const std::string shape = error.off ? fmt::format("M{:.1f} {:.1f}l10 10m0 -10l-10 10", x - 5, y - 5)
                                        : fmt::format("M{:.1f} {:.1f}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0", x - 2.5, y);
    text +=
        fmt::format("<path class=\"{}\" d=\"{}\"><title>{} ({}): {} off{}</title></path>\n", error.off ? "off" : "agrees",
                    shape, html(module.name), html(module.class_name), error_text(error.error),
                    alignment.healthy_known ? ", healthy runs up to " + error_text(error.healthy) : "");
  }
  return text;
}

/// A name beside its line, on the side that has more room.
std::string first_mark(const Alignment& alignment, std::optional<std::size_t> first) {
  if (!first) return "";
  const double x = x_of(*first, alignment.modules.size());
  const bool right_half = x > kWidth / 2;
  return fmt::format(
      "<path class=\"first\" d=\"M{:.1f} {}V{}\"/><text class=\"first\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">first: "
      "{}</text>\n",
      x, kTop - 12, kHeight - kBottom, x + (right_half ? -6 : 6), kTop - 14, right_half ? "end" : "start",
      html(alignment.modules[*first].name));
}

std::string picture(const Alignment& alignment, const char* direction, Read read, std::optional<std::size_t> first) {
  if (std::ranges::none_of(alignment.modules, [&](const AlignedModule& module) { return (module.*read).known; })) return "";
  const auto off = std::ranges::count_if(alignment.modules, [&](const AlignedModule& module) { return (module.*read).off; });
  const std::string label = fmt::format("error of {} modules, {}: {} off{}", alignment.modules.size(), direction, off,
                                        first ? ", first " + html(alignment.modules[*first].name) : "");
  return fmt::format(
             "<h3>{}</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">"
             "<svg class=\"depth\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
             direction, direction, kWidth, kHeight, label) +
         band(alignment, read) + axis() +
         fmt::format("<path class=\"bound\" d=\"M{} {:.1f}H{}\"/>\n", kLeft, y_of(alignment.bound), kWidth - kRight) +
         line(alignment, read) + first_mark(alignment, first) + marks(alignment, read) + "</svg></div>\n";
}

std::string legend(const Alignment& alignment) {
  return fmt::format(
      "<p class=\"note\">Modules from left to right in the order of execution; errors from 1e-7 to 1 and more. Dashed line: "
      "the bound, {}. {} Dot: agrees; cross: off.</p>\n",
      error_text(alignment.bound),
      alignment.healthy_known
          ? "Grey: what healthy runs differ by; off is what is above the bound and above three times that."
          : "Nothing shows what healthy runs differ by, so the bound alone decides.");
}

std::string cells(const AlignedError& error, bool healthy_known) {
  if (!error.known) return "<td></td><td></td><td></td>";
  return fmt::format("<td>{}</td><td>{}</td><td><span class=\"pill {}\">{}</span></td>", error_text(error.error),
                     healthy_known ? error_text(error.healthy) : "unknown", error.off ? "fail" : "pass",
                     error.off ? "off" : "agrees");
}

std::string row(const Alignment& alignment, std::size_t at) {
  const AlignedModule& module = alignment.modules[at];
  std::string notes;
  if (alignment.forward_first == at) notes += "<strong>first forward</strong><br>";
  if (alignment.backward_first == at) notes += "<strong>first backward</strong><br>";
  for (const std::string& remark : module.remarks) notes += html(remark) + "<br>";
  return fmt::format("<tr><td>{}</td><th scope=\"row\">{}</th><td>{}</td>{}{}<td>{}</td></tr>\n", at + 1, html(module.name),
                     html(module.class_name), cells(module.output, alignment.healthy_known),
                     cells(module.gradient, alignment.healthy_known), notes);
}

/// Of a very deep network what is off, or has remarks.
std::string table(const Alignment& alignment) {
  std::string rows;
  std::size_t shown = 0;
  const bool all = alignment.modules.size() <= kMostRows;
  for (std::size_t i = 0; i < alignment.modules.size() && shown < kMostRows; ++i) {
    const AlignedModule& module = alignment.modules[i];
    if (!all && !module.output.off && !module.gradient.off && module.remarks.empty()) continue;
    rows += row(alignment, i);
    ++shown;
  }
  std::string heads;
  for (const char* head : {"call", "module", "class", "output off by", "healthy", "output", "gradient off by", "healthy",
                           "gradient", "remarks"})
    heads += fmt::format("<th scope=\"col\">{}</th>", head);
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"all modules\"><table id=\"modules\">"
      "<thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n{}",
      heads, rows,
      shown < alignment.modules.size()
          ? fmt::format("<p class=\"note\">{} more modules are in align.json.</p>\n", alignment.modules.size() - shown)
          : "");
}

}  // namespace

std::string to_html(const Alignment& alignment) {
  const std::string title = fmt::format("{}: one step {}", html(alignment.title),
                                        alignment.verdict == "unequal" ? "that does not start alike" : alignment.verdict);
  std::string sentences;
  for (const std::string& sentence : alignment.sentences)
    sentences += fmt::format("<p class=\"{}\">{}</p>\n", sentences.empty() ? "verdict" : "note", html(sentence));
  const std::string pictures = picture(alignment, "forward", &AlignedModule::output, alignment.forward_first) +
                               picture(alignment, "backward", &AlignedModule::gradient, alignment.backward_first);
  return page_head(title, {}) +
         fmt::format("<body>\n<header class=\"{}\">\n<h1>{}</h1>\n{}</header>\n<main>\n",
                     alignment.verdict == "agrees"     ? "aligned"
                     : alignment.verdict == "deviates" ? "culprits"
                                                       : "",
                     title, sentences) +
         section("depth-section", "Error along the depth of the network", pictures + legend(alignment)) +
         section("modules-section", "Modules", table(alignment)) + "</main>\n</body>\n</html>\n";
}

}  // namespace bisectd::reports
