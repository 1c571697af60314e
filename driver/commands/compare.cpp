#include "driver/commands/compare.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "configs/formats.hpp"
#include "configs/standards.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/commands.hpp"
#include "driver/commands/comparison_text.hpp"
#include "driver/commands/log_read.hpp"
#include "driver/commands/one_of.hpp"
#include "driver/commands/output.hpp"
#include "driver/judge/comparison.hpp"
#include "driver/judge/grey_zone.hpp"
#include "driver/read/attempt_log.hpp"
#include "driver/read/event_files.hpp"

namespace bisectd::driver::commands {
namespace {

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
      for (const read::AttemptLog::Learnt& learnt : log.learnt()) {
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
  for (const configs::MetricFormat& known : configs::kMetricFormats) names.emplace_back(known.name);
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

ExitCode compare_logs(CompareOptions options) {
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
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "judge logs that exist: compare REFERENCE CANDIDATE, or REFERENCE... -- CANDIDATE...");
  command->add_option("REFERENCE", options->references, "logs of the trusted side; several show its noise")->required();
  command->add_option(
      candidates_option, options->candidates,
      "logs to judge, each on its own; `--` means the same. Without it, the second of two logs is the candidate");
  command->add_option("--metric", options->losses, "a loss to judge (default: loss); can be repeated")
      ->allow_extra_args(false);
  command->add_option("--score", options->scores, "a score to judge: higher is better; can be repeated")
      ->allow_extra_args(false);
  command->add_option("--format", options->format, "how the logs are written (default: found out from them)");
  command->add_option("--pattern", options->pattern, "RE2 with the group `value` and perhaps `step`, instead of a format");
  command->add_option("--step-key", options->step_key,
                      "key or column of the step, for --format jsonl and csv (default: step)");
  command->add_option("--target", options->target_pct, "accepted difference of the final level in percent: 2 or 2%")
      ->transform(percent_sign())
      ->check(number_in(1e-6, 100.0))
      ->capture_default_str();
  command->add_flag("--strict", options->strict, "for sign-off: pass only what is certainly within the target");
  command->add_flag("--worse-only", options->worse_only, "a better result is no difference");
  command
      ->add_option("--standard", options->standard,
                   "say beside the verdict, and without changing it, whether a published standard is met")
      ->check(one_of(configs::names_of_standards()));
  command->add_option("--plot", options->plot, "draw the difference over the run: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("--json", options->output.json, "print JSON instead of text");
  command->add_option("--color", options->output.color, "colour: auto, always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return compare_logs(*options); }; });
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
