#include "driver/commands/align_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "driver/keep/run_directory.hpp"
#include "reports/escape.hpp"
#include "reports/html/alignment.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {

const char* align_verdict(const align::Comparison& comparison) {
  return !comparison.unequal.empty() ? "unequal" : comparison.deviates() ? "deviates" : "agrees";
}

namespace {

using align::Comparison;
using align::Deviation;
using align::Error;
using align::Row;

constexpr double kDecades = 7;  ///< of a bar: 1e-7, as float32 rounds, to 1
constexpr int kColumnsPerDecade = 2;
constexpr std::size_t kMostRows = 60, kMostFlags = 20;

using reports::error_text;

/// The worse of what a module gives to its input and to its parameters.
const Error& backward_error(const Row& row) {
  return row.input_gradient.error >= row.parameter_gradient.error ? row.input_gradient : row.parameter_gradient;
}

std::string bar(const Error& error) {
  const double decades =
      error.error > 0 ? std::clamp(kDecades + std::log10(std::min(error.error, 1.0)), 0.0, kDecades) : 0.0;
  return std::string(static_cast<std::size_t>(std::lround(decades * kColumnsPerDecade)), error.off ? '#' : '-');
}

std::string name_of(const std::string& module, int number) {
  return number == 1 ? module : fmt::format("{} (call {})", module, number);
}
std::string name_of(const Row& row) { return name_of(row.module, row.number); }

std::string cells(const Error& error, bool healthy_known) {
  if (!error.known) return fmt::format("{:>9} {:>9} ", "", "");
  return fmt::format("{:>9} {:>9}{}", error_text(error.error), healthy_known ? error_text(error.healthy) : "",
                     error.off ? "!" : " ");
}

/// Of a deep network the part in which something happens.
std::vector<bool> shown(const Comparison& comparison) {
  std::vector<bool> shows(comparison.rows.size(), comparison.rows.size() <= kMostRows);
  std::size_t left = kMostRows;
  for (std::size_t i = 0; i < comparison.rows.size() && left > 0; ++i) {
    const Row& row = comparison.rows[i];
    if (!row.output.off && !backward_error(row).off && row.flags.empty()) continue;
    for (const std::size_t one : {i == 0 ? i : i - 1, i}) {  // and the one before it
      if (left > 0 && !shows[one]) --left;
      shows[one] = true;
    }
  }
  return shows;
}

std::string table_text(const Comparison& comparison) {
  std::size_t width = 6, class_width = 5;
  for (const Row& row : comparison.rows) {
    width = std::max(width, reports::plain(name_of(row)).size());
    class_width = std::max(class_width, reports::plain(row.class_name).size());
  }
  const int half = static_cast<int>(kDecades) * kColumnsPerDecade;
  std::string text =
      fmt::format("{:{}}  {:{}}  {:>9} {:>9}  {:>9} {:>9}  {:{}}  {}\n", "module", width, "class", class_width, "output",
                  "healthy", "gradient", "healthy", "output 1e-7..1", half, "gradient");
  const std::vector<bool> shows = shown(comparison);
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const Row& row = comparison.rows[i];
    if (!shows[i]) continue;
    std::string line = fmt::format(
        "{:{}}  {:{}}  {} {} {:{}}  {}", reports::plain(name_of(row)), width, reports::plain(row.class_name), class_width,
        cells(row.output, comparison.perturbed_runs > 0), cells(backward_error(row), comparison.perturbed_runs > 0),
        bar(row.output), half, bar(backward_error(row)));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (const auto hidden = std::ranges::count(shows, false))
    text += fmt::format("({} more modules agree, or deviate after those shown)\n", hidden);
  return text;
}

std::string deviation_text(const char* direction, const char* what, const Deviation& first, const Comparison& comparison) {
  std::string text =
      fmt::format("{}: the first module that deviates is {} ({}): {} {} off", direction, reports::plain(first.module),
                  reports::plain(first.class_name), what, error_text(first.error.error));
  text += comparison.perturbed_runs > 0 ? ", healthy runs up to " + error_text(first.error.healthy)
                                        : ", the bound is " + error_text(comparison.bound);
  if (!first.caller.empty()) text += fmt::format("; called by {}", reports::plain(first.caller));
  if (first.at != first.module)
    text += fmt::format("; seen at {} within it, whose own input is off already", reports::plain(first.at));
  if (first.draws)
    text += "; it draws random numbers, which two devices never draw alike: switch dropout and the like off on both sides";
  if (first.inherited) text += "; what it gets is off already, and no module made that: it is computed between modules";
  return text;
}

std::vector<std::string> start_lines(const Comparison& comparison) {
  std::vector<std::string> lines{"The sides do not start alike, so nothing can be said of modules:"};
  for (const std::string& why : comparison.unequal) lines.push_back("  " + reports::plain(why));
  lines.emplace_back(
      "Give both the same checkpoint, and the same data in the same order; random numbers of two devices never agree.");
  return lines;
}

/// Lines about the whole, none about a module. Harmless already.
std::vector<std::string> remarks_on(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const auto& [side, names] :
       {std::pair{"reference", &comparison.only_reference}, std::pair{"subject", &comparison.only_subject}})
    if (!names->empty())
      lines.push_back(fmt::format("only on the {}: {}", side, reports::plain(fmt::format("{}", fmt::join(*names, ", ")))));
  if (!comparison.without_gradient.empty())
    lines.push_back(fmt::format("without a gradient on both sides: {}",
                                reports::plain(fmt::format("{}", fmt::join(comparison.without_gradient, ", ")))));
  if (comparison.perturbed_runs == 0)
    lines.emplace_back("warning: no perturbed run shows what healthy rounding does; only the bound decides");
  return lines;
}

/// A module whose output or gradients neither side wrote down, or that are not finite anywhere, agrees with nothing.
std::string agreement_text(const char* direction, std::size_t compared, std::size_t modules) {
  if (compared == modules) return fmt::format("{}: all {} modules agree", direction, modules);
  if (compared == 0) return fmt::format("{}: not judged, as nothing of it is there and finite on both sides", direction);
  return fmt::format("{}: {} of {} modules can be compared, and agree", direction, compared, modules);
}

std::vector<std::string> findings_of(const Comparison& comparison) {
  if (!comparison.unequal.empty()) return start_lines(comparison);
  std::vector<std::string> lines;
  if (comparison.forward_first) {
    lines.push_back(deviation_text("forward", "its output is", *comparison.forward_first, comparison));
    lines.emplace_back("backward: not judged, as gradients follow from outputs that deviate");
  } else {
    lines.push_back(agreement_text("forward", comparison.outputs_compared(), comparison.rows.size()));
    lines.push_back(comparison.backward_first
                        ? deviation_text("backward", "the gradient it makes is", *comparison.backward_first, comparison)
                        : agreement_text("backward", comparison.gradients_compared(), comparison.rows.size()));
  }
  if (comparison.deviates())
    lines.emplace_back(
        "This is where a deviation begins in one step. What causes it, and whether it does harm, a search proves.");
  return lines;
}

std::optional<std::size_t> index_of(const Comparison& comparison, const std::optional<Deviation>& first) {
  const auto found = std::ranges::find_if(
      comparison.rows, [&](const Row& row) { return first && row.module == first->module && row.number == first->number; });
  if (found == comparison.rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - comparison.rows.begin());
}

reports::AlignedError page_error(const Error& error) {
  return {.error = error.error, .healthy = error.healthy, .off = error.off, .known = error.known};
}

nlohmann::ordered_json error_json(const Error& error) {
  if (!error.known) return nullptr;
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json("inf");
  };
  return {{"error", number(error.error)}, {"healthy", number(error.healthy)}, {"off", error.off}};
}

nlohmann::ordered_json deviation_json(const std::optional<Deviation>& first) {
  if (!first) return nullptr;
  return {{"module", reports::plain(first->module)},
          {"call", first->number},
          {"class", reports::plain(first->class_name)},
          {"caller",
           first->caller.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(reports::plain(first->caller))},
          {"at", reports::plain(first->at)},
          {"draws", first->draws},
          {"inherited", first->inherited},
          {"measured", error_json(first->error)}};
}

std::string align_text(const Comparison& comparison) {
  std::string text = table_text(comparison) + "\n";
  std::size_t flags = 0;
  for (const Row& row : comparison.rows)
    for (const std::string& flag : row.flags)
      if (++flags <= kMostFlags) text += fmt::format("{}: {}\n", reports::plain(name_of(row)), reports::plain(flag));
  if (flags > kMostFlags) text += fmt::format("and {} more such remarks (see the JSON)\n", flags - kMostFlags);
  for (const std::string& sentence : remarks_on(comparison)) text += sentence + "\n";
  for (const std::string& sentence : findings_of(comparison)) text += sentence + "\n";
  return text;
}

/// For align.html. `title`: of what.
reports::Alignment align_page(const Comparison& comparison, const std::string& title) {
  reports::Alignment page{.title = title,
                          .verdict = align_verdict(comparison),
                          .sentences = findings_of(comparison),
                          .bound = comparison.bound,
                          .healthy_known = comparison.perturbed_runs > 0,
                          .modules = {},
                          .forward_first = index_of(comparison, comparison.forward_first),
                          .backward_first = index_of(comparison, comparison.backward_first)};
  std::ranges::copy(remarks_on(comparison), std::back_inserter(page.sentences));
  for (const Row& row : comparison.rows)
    page.modules.push_back({.name = name_of(row),
                            .class_name = row.class_name,
                            .output = page_error(row.output),
                            .gradient = page_error(backward_error(row)),
                            .remarks = row.flags});
  return page;
}

nlohmann::ordered_json align_json(const Comparison& comparison) {
  nlohmann::ordered_json modules = nlohmann::ordered_json::array();
  for (const Row& row : comparison.rows)
    modules.push_back({{"module", reports::plain(row.module)},
                       {"call", row.number},
                       {"class", reports::plain(row.class_name)},
                       {"inside", row.inside.empty() ? nlohmann::ordered_json(nullptr)
                                                     : nlohmann::ordered_json(reports::plain(row.inside))},
                       {"input", error_json(row.input)},
                       {"output", error_json(row.output)},
                       {"output_gradient", error_json(row.gradient)},
                       {"input_gradient", error_json(row.input_gradient)},
                       {"parameter_gradient", error_json(row.parameter_gradient)},
                       {"flags", row.flags}});
  return {{"bisectd", "align-result"},
          {"version", 1},
          {"verdict", align_verdict(comparison)},
          {"bound", comparison.bound},
          {"perturbed_runs", comparison.perturbed_runs},
          {"unequal", comparison.unequal},
          {"forward", deviation_json(comparison.forward_first)},
          {"backward", deviation_json(comparison.backward_first)},
          {"only_reference", comparison.only_reference},
          {"only_subject", comparison.only_subject},
          {"without_gradient", comparison.without_gradient},
          {"modules", std::move(modules)}};
}

}  // namespace

ExitCode conclude_align(const align::Comparison& comparison, const AlignResult& result) {
  const std::string json = align_json(comparison).dump(2) + "\n";
  const std::filesystem::path file = result.folder / "align.json";
  keep::write_file_durably(file, json);
  const std::filesystem::path page = result.folder / "align.html";
  keep::write_file_durably(page, reports::to_html(align_page(comparison, result.title)));
  if (result.json) fmt::print("{}", json);
  else fmt::print("{}{}Picture: {}\n", align_text(comparison), result.remarks, reports::plain(page.string()));
  if (!result.json && comparison.unequal.empty() && comparison.deviates())
    fmt::print("For the odds of a search, on its layers, modules or operators:  likely: {{from: {}}}\n",
               reports::plain(file.string()));
  if (!comparison.unequal.empty()) return ExitCode::no_answer;
  if (comparison.deviates()) return ExitCode::fails;
  return comparison.outputs_compared() == 0 ? ExitCode::no_answer : ExitCode::success;
}

}  // namespace bisectd::driver::commands
