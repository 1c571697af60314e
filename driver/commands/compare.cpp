#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "configs/formats.hpp"
#include "configs/printable.hpp"
#include "configs/standards.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/output.hpp"
#include "driver/judge/comparison.hpp"
#include "driver/judge/grey_zone.hpp"
#include "driver/read/attempt_log.hpp"
#include "driver/read/event_files.hpp"
#include "reports/escape.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {

namespace {

using judge::ComparisonRow;
using judge::ComparisonTable;
using strategies::Verdict;

constexpr int kHalfHeight = 5;  ///< lines of a plot above and below its middle

/// One metric of one log.
struct LogRead {
  std::string file;
  std::string metric;  ///< as the log calls it
  std::size_t values = 0;
  std::int64_t first_step = 0, last_step = 0;  ///< of the values, where there are any
  std::string like;                            ///< the first line that was read; empty where a format or a pattern says how
  std::vector<std::pair<std::size_t, std::string>> left_out;  ///< lines, "of validation"
  std::string said;                                           ///< all of it; foreign text
};

/// What was read of a log that was brought, so that a wrong reading is seen: of each metric that was asked for.
std::vector<LogRead> logs_read(const std::string& file, const read::AttemptLog& log,
                               const std::vector<judge::MetricRule>& metrics) {
  std::vector<LogRead> all;
  const auto learnt = log.learnt();
  for (const judge::MetricRule& metric : metrics) {
    LogRead& one = all.emplace_back(LogRead{.file = file, .metric = metric.name, .like = {}, .left_out = {}, .said = {}});
    if (const auto series = log.curve().series.find(metric.name);
        series != log.curve().series.end() && !series->second.empty()) {
      one.values = series->second.size();
      one.first_step = series->second.front().step;
      one.last_step = series->second.back().step;
    }
    const auto found = std::ranges::find(learnt, metric.name, &read::LearntMetric::metric);
    if (found != learnt.end() && found->found) {
      one.metric = found->found->reading.metric;
      one.like = found->found->reading.line;
      one.left_out = found->found->left_out;
      one.said = learn::said(*found->found);
    } else {
      one.said = fmt::format("read {} values of {}, steps {} to {}", one.values, one.metric, one.first_step, one.last_step);
    }
  }
  return all;
}

std::string text_of(const std::vector<LogRead>& logs) {
  std::string text;
  for (const LogRead& one : logs) text += fmt::format("{}: {}\n", reports::plain(one.file), reports::plain(one.said));
  return text;
}

nlohmann::json json_of(const std::vector<LogRead>& logs) {
  nlohmann::json all = nlohmann::json::array();
  for (const LogRead& one : logs) {
    nlohmann::json left_out = nlohmann::json::array();
    for (const auto& [lines, what] : one.left_out) left_out.push_back({{"lines", lines}, {"what", reports::plain(what)}});
    const auto step = [&](std::int64_t at) { return one.values > 0 ? nlohmann::json(at) : nlohmann::json(); };
    all.push_back({{"file", reports::plain(one.file)},
                   {"metric", reports::plain(one.metric)},
                   {"values", one.values},
                   {"first_step", step(one.first_step)},
                   {"last_step", step(one.last_step)},
                   {"like", one.like.empty() ? nlohmann::json() : nlohmann::json(reports::plain(one.like))},
                   {"left_out", std::move(left_out)}});
  }
  return all;
}

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

/// One line per log that was read, one per verdict, what is odd about the references, and with `plot` the difference of each
/// candidate over the run. File names and log lines are made harmless.
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

/// The same with all numbers; differences are fractions.
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

namespace fs = std::filesystem;

char candidates_option[] = "--candidates";

struct CompareOptions {
  std::vector<std::string> references, candidates;
  std::vector<std::string> losses, scores;
  std::string format, pattern, step_key;
  double target_pct = 0.5;
  bool strict = false, worse_only = false;
  std::string standard;
  std::string plot = "auto";
  OutputOptions output;
};

std::vector<judge::MetricRule> rules_of(const CompareOptions& options) {
  std::vector<judge::MetricRule> rules;
  for (const std::string& name : options.losses) rules.push_back({name, false});
  for (const std::string& name : options.scores) rules.push_back({name, true});
  if (rules.empty()) rules.push_back({"loss", false});
  return rules;
}

std::vector<configs::Metric> metrics_of(const CompareOptions& options, const fs::path& log,
                                        const std::vector<judge::MetricRule>& rules) {
  std::string format = options.format;
  if (format.empty() && options.pattern.empty()) format = read::event_format(log).value_or("");
  if (format.empty() && fs::is_directory(log)) throw UsageError(fmt::format("{}: no event file is in it", log.string()));
  std::vector<configs::Metric> metrics;
  for (const judge::MetricRule& rule : rules) {
    configs::Metric metric;
    metric.name = rule.name;
    metric.format.value = format;
    if (!options.pattern.empty()) metric.pattern = {.value = options.pattern, .place = {}};
    if (!options.step_key.empty()) metric.step_key = options.step_key;
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

/// Logs that were read, and what was taken from them.
struct ReadLogs {
  std::vector<judge::NamedCurve> curves;
  std::vector<LogRead> read;
};

/// `known`: what was learnt from the logs before; what is learnt from these is added.
ReadLogs read_logs(const CompareOptions& options, const std::vector<std::string>& paths,
                   const std::vector<judge::MetricRule>& rules, read::Readings& known) {
  ReadLogs logs;
  for (const std::string& path : paths) {
    if (std::error_code error; !fs::exists(path, error)) throw UsageError(fmt::format("no such file: {}", path));
    try {
      read::AttemptLog log({.stdout_file = path}, metrics_of(options, path, rules), {}, known);
      log.poll();
      log.finish();
      for (const read::LearntMetric& learnt : log.learnt()) {
        if (!learnt.found)
          throw UsageError(
              fmt::format("{}: {}; name one with --metric, a --format, or give a --pattern", path, learnt.refusal));
        if (learnt.is_new) known.emplace_back(learnt.metric, learnt.found->reading);
      }
      if (!log.errors().empty()) throw UsageError(log.errors().front());  // it names the file
      for (LogRead& one : logs_read(path, log, rules)) logs.read.push_back(std::move(one));
      logs.curves.push_back({path, log.curve()});
      logs.curves.back().curve.perturbed = std::nullopt;  // nobody says
    } catch (const std::invalid_argument& error) {        // a pattern that cannot work
      throw UsageError(error.what());
    } catch (const std::system_error& error) {
      throw UsageError(error.what());
    }
  }
  return logs;
}

void check_format(const std::string& format) {
  if (format.empty()) return;
  std::vector<std::string> names;
  for (const configs::MetricFormat& known : configs::metric_formats()) names.emplace_back(known.name);
  if (std::ranges::count(names, format)) return;
  const auto near = configs::nearest(format, names);
  throw UsageError(
      fmt::format("unknown format '{}'; {}", format,
                  near ? fmt::format("did you mean '{}'?", *near) : fmt::format("known: {}", fmt::join(names, ", "))));
}

bool wants_plot(const CompareOptions& options) {
  if (options.plot != "auto") return options.plot == "always";
  return ::isatty(STDOUT_FILENO) != 0;
}

ExitCode compare_logs(const CompareOptions& given) {
  CompareOptions options = given;
  if (options.candidates.empty() && options.references.size() == 2) {  // one of each: nothing else can be meant
    options.candidates.push_back(options.references.back());
    options.references.pop_back();
  }
  if (options.candidates.empty())
    throw UsageError(
        "nothing to compare: name the candidates after `--`, for example `bisectd compare gpu*.log -- npu.log`");
  if (!options.format.empty() && !options.pattern.empty()) throw UsageError("either --format or --pattern, not both");
  check_format(options.format);
  configs::Acceptance accept;
  accept.target = options.target_pct / 100;
  accept.worse_only = options.worse_only;
  accept.standard = configs::standard_named(options.standard);
  if (options.strict) accept = judge::strict(accept);
  const std::vector<judge::MetricRule> rules = rules_of(options);
  if (!options.step_key.empty() && options.format.empty())
    throw UsageError("--step-key is for --format jsonl and csv; without a format the step is found by itself");
  read::Readings known;
  ReadLogs references = read_logs(options, options.references, rules, known);
  const ReadLogs candidates = read_logs(options, options.candidates, rules, known);
  const auto table = judge::compare(accept, references.curves, candidates.curves, rules);
  std::vector<LogRead> read = std::move(references.read);
  read.insert(read.end(), candidates.read.begin(), candidates.read.end());
  if (!table) throw UsageError(fmt::format("{}; {}", table.error().message, table.error().hint));
  fmt::print("{}", options.output.json
                       ? comparison_json(*table, accept, read).dump(2) + "\n"
                       : comparison_text(*table, accept, read, wants_plot(options), wants_colour(options.output)));
  return compare_exit_code(table->verdict);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "compare",
                  "judge logs that exist: compare REFERENCE CANDIDATE, or REFERENCE... -- CANDIDATE...", compare_logs);
  command.add_option("REFERENCE", options.references, "logs of the trusted side; several show its noise")->required();
  command.add_option(
      candidates_option, options.candidates,
      "logs to judge, each on its own; `--` means the same. Without it, the second of two logs is the candidate");
  command.add_option("--metric", options.losses, "a loss to judge (default: loss); can be repeated")
      ->allow_extra_args(false);
  command.add_option("--score", options.scores, "a score to judge: higher is better; can be repeated")
      ->allow_extra_args(false);
  command.add_option("--format", options.format, "how the logs are written (default: found out from them)");
  command.add_option("--pattern", options.pattern, "RE2 with the group `value` and perhaps `step`, instead of a format");
  command.add_option("--step-key", options.step_key,
                     "key or column of the step, for --format jsonl and csv (default: step)");
  command.add_option("--target", options.target_pct, "accepted difference of the final level in percent: 2 or 2%")
      ->transform(percent_sign())
      ->check(number_in(1e-6, 100.0))
      ->capture_default_str();
  command.add_flag("--strict", options.strict, "for sign-off: pass only what is certainly within the target");
  command.add_flag("--worse-only", options.worse_only, "a better result is no difference");
  command
      .add_option("--standard", options.standard,
                  "say beside the verdict, and without changing it, whether a published standard is met")
      ->check(one_of(configs::names_of_standards()));
  command.add_option("--plot", options.plot, "draw the difference over the run: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
  command.add_flag("--json", options.output.json, "print JSON instead of text");
  command.add_option("--color", options.output.color, "colour: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
}

std::vector<char*> with_candidates(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "compare") return words;
  const auto mark = std::ranges::find_if(words, [](const char* word) { return std::string_view(word) == "--"; });
  if (mark == words.end()) return words;
  if (mark + 1 == words.end()) words.pop_back();  // no candidate follows, which is told better than by CLI11
  else *mark = candidates_option;
  return words;
}

}  // namespace bisectd::driver::commands
