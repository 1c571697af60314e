#include "driver/baseline/recorded_curve.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "configs/loader.hpp"
#include "driver/baseline/baseline.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/read/attempt_log.hpp"

namespace bisectd::driver {
namespace {

[[noreturn]] void refuse(const configs::Experiment& experiment, const std::string& message, const std::string& hint = "") {
  throw configs::ConfigError({{experiment.reference.curve->place, message, hint}});
}

std::vector<judge::Curve> accepted_curves(const configs::Experiment& experiment, const std::filesystem::path& file) {
  Baseline baseline;
  try {
    baseline = parse_baseline(keep::read_file(file));
  } catch (const BadBaseline& error) {
    refuse(experiment, fmt::format("the baseline {} cannot be used: {}", file.string(), error.what()));
  }
  if (baseline.model != experiment.name)
    refuse(experiment, fmt::format("this is the baseline of `{}`, and the experiment is `{}`", baseline.model, experiment.name),
           "`bisectd accept --model` says for which experiment a baseline is");
  for (const configs::Metric& metric : experiment.metrics)
    if (!metric.is_watched() && !baseline.runs.front().series.contains(metric.name))
      refuse(experiment, fmt::format("this baseline of the metric `{}` has no `{}`", baseline.metric, metric.name));
  return curves_of(baseline);
}

std::filesystem::path recorded_file(const configs::Experiment& experiment) {
  return std::filesystem::absolute(experiment.reference.curve->value);
}

}  // namespace

std::vector<judge::Curve> recorded_curves(const configs::Experiment& experiment) {
  const auto file = recorded_file(experiment);
  if (looks_like_baseline(file)) return accepted_curves(experiment, file);
  // A metric that lives in a file of its own is read from the recorded file all the same.
  std::vector<configs::Metric> metrics = experiment.metrics;
  for (configs::Metric& metric : metrics) metric.file.reset();
  read::AttemptLog log({.stdout_file = file}, metrics, {});
  log.poll();
  log.finish();
  if (!log.errors().empty()) refuse(experiment, log.errors().front());
  return {log.curve()};
}

std::vector<std::string> changes_since_baseline(const configs::Experiment& experiment,
                                                const std::map<std::string, std::string>& versions) {
  std::vector<std::string> changes;
  if (!experiment.reference.curve || !looks_like_baseline(recorded_file(experiment))) return changes;
  try {
    const Baseline baseline = parse_baseline(keep::read_file(recorded_file(experiment)));
    for (const auto& [what, then] : baseline.versions)
      if (const auto now = versions.find(what); now != versions.end() && now->second != then)
        changes.push_back(fmt::format("{} {} -> {} since the baseline of {}", what, then, now->second, baseline.accepted_utc));
  } catch (const BadBaseline&) {  // said where its curves are read
  }
  return changes;
}

}  // namespace bisectd::driver
