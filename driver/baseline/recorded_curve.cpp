#include "driver/baseline/recorded_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "configs/loader.hpp"
#include "driver/baseline/baseline.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/read/attempt_log.hpp"

namespace bisectd::driver {
namespace {

using RecordedFile = configs::Placed<std::string>;

[[noreturn]] void refuse(const configs::Place& place, const std::string& message, const std::string& hint = "") {
  throw configs::ConfigError({{place, message, hint}});
}

std::string runs_text(std::size_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

Baseline baseline_in(const RecordedFile& file) {
  try {
    return parse_baseline(keep::read_file(file.value));
  } catch (const BadBaseline& error) {
    refuse(file.place, fmt::format("the baseline {} cannot be used: {}", file.value, error.what()));
  }
}

RecordedReference recorded_baseline(const configs::Experiment& experiment, const RecordedFile& file) {
  const Baseline baseline = baseline_in(file);
  const char* command = baseline.recorded ? "record" : "accept";
  if (baseline.model != experiment.name)
    refuse(file.place,
           fmt::format("this is the baseline of `{}`, and the experiment is `{}`", baseline.model, experiment.name),
           fmt::format("`bisectd {} --model` says for which experiment a baseline is", command));
  for (const configs::Metric& metric : experiment.metrics)
    if (!metric.is_watched() && !baseline.runs.front().series.contains(metric.name))
      refuse(file.place, fmt::format("this baseline of the metric `{}` has no `{}`", baseline.metric, metric.name));
  for (const configs::Check& check : experiment.checks)
    if (!check.standard && !baseline.facts.contains(check.name))
      refuse(check.place, fmt::format("{} does not say what the check `{}` is on the trusted side", file.value, check.name),
             fmt::format("add it to the experiment there, too, and `bisectd {}` once more", command));
  std::vector<judge::Curve> curves = curves_of(baseline);
  std::string text = fmt::format("{} in {}, {} {}", runs_text(curves.size()), file.value,
                                 baseline.recorded ? "recorded" : "accepted", baseline.made_utc);
  return {.curves = std::move(curves), .facts = baseline.facts, .text = std::move(text)};
}

judge::Curve logged(const configs::Experiment& experiment, const RecordedFile& file) {
  // A metric that lives in a file of its own is read from the recorded file all the same.
  std::vector<configs::Metric> metrics = experiment.metrics;
  for (configs::Metric& metric : metrics) metric.file.reset();
  read::AttemptLog log({.stdout_file = file.value}, metrics, {});
  log.poll();
  log.finish();
  if (!log.errors().empty()) refuse(file.place, log.errors().front());
  judge::Curve curve = log.curve();
  curve.perturbed = std::nullopt;  // nobody knows
  const std::string& metric = metrics.front().name;
  std::error_code unknown;
  if (std::filesystem::file_size(file.value, unknown) == 0 && !unknown)
    refuse(file.place, fmt::format("{} is empty", file.value), "there should be the log of a run, or a baseline");
  if (const auto series = curve.series.find(metric); series == curve.series.end() || series->second.empty())
    refuse(file.place, fmt::format("{} has no value of `{}`", file.value, metric),
           log.learnt().empty() ? "`metric` says how a log is read" : log.learnt().front().refusal);
  return curve;
}

RecordedReference recorded_logs(const configs::Experiment& experiment) {
  RecordedReference recorded{.from_logs = true};
  for (const RecordedFile& file : experiment.reference.curves) {
    if (looks_like_baseline(file.value))
      refuse(file.place, fmt::format("{} holds all runs of a reference, so it stands alone", file.value),
             "remove the other files");
    recorded.curves.push_back(logged(experiment, file));
    recorded.text += (recorded.text.empty() ? "" : ", ") + file.value;
  }
  for (const configs::Check& check : experiment.checks)
    if (!check.command.empty())
      refuse(
          check.place,
          fmt::format("the check `{}` runs a command on both sides, but of the reference there is only a log", check.name),
          "record it with `bisectd record`, or use a `pattern`, which looks into the log");
  recorded.text = fmt::format("{} in {}", runs_text(recorded.curves.size()), recorded.text);
  return recorded;
}

// A schedule of the learning rate that is stretched over the whole training makes another training of a longer one, from
// the first step on. Somebody who stops a run by hand overshoots a little: that is no other training.
std::string doubt_of_length(const configs::Experiment& experiment, const std::vector<judge::Curve>& curves) {
  constexpr double kOvershoot = 1.1;
  if (!experiment.steps) return {};
  std::int64_t last = 0;
  for (const judge::Curve& curve : curves)
    if (const auto series = curve.series.find(experiment.metrics.front().name); series != curve.series.end())
      for (const judge::Point& point : series->second) last = std::max(last, point.step);
  if (static_cast<double>(last) <= kOvershoot * static_cast<double>(*experiment.steps)) return {};
  return fmt::format(
      "the recorded reference goes on to step {}, and `steps` is {}: if its learning rate depends on the length of the "
      "training, the two are different from the start",
      last, *experiment.steps);
}

bool is_baseline(const configs::Experiment& experiment) {
  const auto& files = experiment.reference.curves;
  return files.size() == 1 && looks_like_baseline(files.front().value);
}

/// One line for each version that is known on both sides and differs, if the reference is a baseline of this kind.
std::vector<std::string> differing_versions(
    const configs::Experiment& experiment, bool recorded, const std::map<std::string, std::string>& versions,
    const std::function<std::string(const std::string&, const std::string&, const std::string&, const Baseline&)>& line) {
  std::vector<std::string> lines;
  if (!is_baseline(experiment)) return lines;
  try {
    const Baseline baseline = parse_baseline(keep::read_file(experiment.reference.curves.front().value));
    if (baseline.recorded != recorded) return lines;
    for (const auto& [what, then] : baseline.versions)
      if (const auto now = versions.find(what); now != versions.end() && now->second != then)
        lines.push_back(line(what, then, now->second, baseline));
  } catch (const BadBaseline&) {  // said where its curves are read
  }
  return lines;
}

}  // namespace

RecordedReference recorded_reference(const configs::Experiment& experiment) {
  RecordedReference recorded = is_baseline(experiment) ? recorded_baseline(experiment, experiment.reference.curves.front())
                                                       : recorded_logs(experiment);
  recorded.doubt = doubt_of_length(experiment, recorded.curves);
  for (judge::Curve& curve : recorded.curves) curve = judge::up_to(std::move(curve), experiment.steps);
  return recorded;
}

std::vector<judge::Curve> recorded_curves(const configs::Experiment& experiment) {
  return recorded_reference(experiment).curves;
}

std::vector<std::string> changes_since_baseline(const configs::Experiment& experiment,
                                                const std::map<std::string, std::string>& versions) {
  return differing_versions(experiment, false, versions,
                            [](const auto& what, const auto& then, const auto& now, const Baseline& baseline) {
                              return fmt::format("{} {} -> {} since the baseline of {}", what, then, now, baseline.made_utc);
                            });
}

std::vector<std::string> versions_unlike_recorded(const configs::Experiment& experiment,
                                                  const std::map<std::string, std::string>& versions) {
  return differing_versions(experiment, true, versions,
                            [](const auto& what, const auto& then, const auto& now, const Baseline&) {
                              return fmt::format("{} {} there, {} here", what, then, now);
                            });
}

}  // namespace bisectd::driver
