#include "driver/commands/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "configs/printable.hpp"
#include "reports/escape.hpp"
#include "reports/verdict_words.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

using judge::ComparisonRow;
using judge::ComparisonTable;
using strategies::Verdict;

constexpr int kHalfHeight = 5;  ///< lines of a plot above and below its middle

std::string coloured(Verdict verdict, const std::string& text, bool colour) {
  if (!colour) return text;
  const int code = verdict == Verdict::pass ? 32 : verdict == Verdict::fail ? 31 : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string row_text(const ComparisonRow& row, std::size_t name_width, std::size_t metric_width, bool colour) {
  const judge::Judgement& judgement = row.judgement;
  const std::string verdict = fmt::format("{:12}", reports::verdict_word(judgement.verdict));
  const std::string names = configs::filled_behind(reports::plain(row.candidate), name_width) + "  " +
                            configs::filled_behind(reports::plain(row.metric), metric_width);
  std::string text = fmt::format("{}  {}  {:>12}  {:>9}  {:>6}  {}\n", names, coloured(judgement.verdict, verdict, colour),
                                 judgement.delta ? reports::percent_text(judgement.delta) : "",
                                 judgement.standard_error ? fmt::format("{:.2g} %", 100 * *judgement.standard_error) : "",
                                 fmt::format("{:.0f} %", 100 * judgement.p_bad), reports::plain(judgement.text));
  if (row.by_standard) text += fmt::format("  {}\n", reports::plain(row.by_standard->text));
  for (const std::string& note : judgement.notes) text += fmt::format("  note: {}\n", reports::plain(note));
  return text;
}

/// The difference over the run, one column per stretch; '-' marks the target on both sides.
std::string plot_text(const ComparisonRow& row, double target) {
  double most = 2 * target;
  for (const double value : row.course)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  const double unit = most / kHalfHeight;
  const auto line_of = [&](double value) { return static_cast<int>(std::lround(value / unit)); };
  std::string text =
      fmt::format("\n{}, {}: difference over the run\n", reports::plain(row.candidate), reports::plain(row.metric));
  for (int line = kHalfHeight; line >= -kHalfHeight; --line) {
    const bool is_limit = std::abs(line) == std::max(1, line_of(target));
    text += fmt::format("{:>9} |", line == 0                       ? "0 %"
                                   : is_limit                      ? reports::percent_text(std::copysign(target, line))
                                   : std::abs(line) == kHalfHeight ? reports::percent_text(line * unit)
                                                                   : "");
    for (const double value : row.course)
      text += std::isfinite(value) && line_of(value) == line ? '*' : line == 0 || is_limit ? '-' : ' ';
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

std::string comparison_text(const ComparisonTable& table, const configs::Acceptance& accept,
                            const std::vector<LogRead>& read, bool plot, bool colour) {
  std::size_t name_width = 9, metric_width = 6;
  for (const ComparisonRow& row : table.rows) {
    name_width = std::max(name_width, configs::columns(reports::plain(row.candidate)));
    metric_width = std::max(metric_width, configs::columns(reports::plain(row.metric)));
  }
  std::string text = text_of(read) + "\n";
  text += fmt::format("{:{}}  {:{}}  {:12}  {:>12}  {:>9}  {:>6}\n", "candidate", name_width, "metric", metric_width,
                      "verdict", "difference", "error", "p(bad)");
  for (const ComparisonRow& row : table.rows) text += row_text(row, name_width, metric_width, colour);
  for (const judge::Finding& finding : table.findings) {
    text += fmt::format("warning: {}\n", reports::plain(finding.text));
    for (const std::string& option : finding.options) text += fmt::format("  {}\n", reports::plain(option));
  }
  if (plot)
    for (const ComparisonRow& row : table.rows) text += plot_text(row, accept.target);
  const std::string verdict(reports::verdict_word(table.verdict));
  return text + fmt::format("\n{} (target {}{})\n", coloured(table.verdict, verdict, colour),
                            reports::unsigned_percent_text(accept.target), accept.grey == 1 ? ", strict" : "");
}

nlohmann::json comparison_json(const ComparisonTable& table, const configs::Acceptance& accept,
                               const std::vector<LogRead>& read) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ComparisonRow& row : table.rows) {
    const judge::Judgement& judgement = row.judgement;
    nlohmann::json course = nlohmann::json::array();
    for (const double value : row.course) course.push_back(std::isfinite(value) ? nlohmann::json(value) : nlohmann::json());
    rows.push_back({{"candidate", reports::plain(row.candidate)},
                    {"metric", reports::plain(row.metric)},
                    {"verdict", reports::verdict_word(judgement.verdict)},
                    {"reason", judgement.reason},
                    {"text", reports::plain(judgement.text)},
                    {"delta", or_null(judgement.delta)},
                    {"standard_error", or_null(judgement.standard_error)},
                    {"p_bad", judgement.p_bad},
                    {"noise", or_null(judgement.noise)},
                    {"detectable", or_null(judgement.detectable)},
                    {"first_bad_step", or_null(judgement.first_bad_step)},
                    {"notes", judgement.notes},
                    {"by_standard", row.by_standard ? nlohmann::json{{"met", or_null(row.by_standard->met)},
                                                                     {"text", reports::plain(row.by_standard->text)}}
                                                    : nlohmann::json(nullptr)},
                    {"course", std::move(course)}});
  }
  nlohmann::json findings = nlohmann::json::array();
  for (const judge::Finding& finding : table.findings)
    findings.push_back(
        {{"code", finding.code}, {"error", finding.error}, {"text", finding.text}, {"options", finding.options}});
  return {{"verdict", reports::verdict_word(table.verdict)},
          {"target", accept.target},
          {"strict", accept.grey == 1},
          {"read", json_of(read)},
          {"rows", std::move(rows)},
          {"findings", std::move(findings)}};
}

}  // namespace bisectd::driver::commands
