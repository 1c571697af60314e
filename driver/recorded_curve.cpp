#include "driver/recorded_curve.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "configs/loader.hpp"
#include "driver/baseline.hpp"
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
  const std::string& metric = experiment.metrics.front().name;
  if (baseline.model != experiment.name)
    refuse(experiment, fmt::format("this is the baseline of `{}`, and the experiment is `{}`", baseline.model, experiment.name),
           "`bisectd accept --model` says for which experiment a baseline is");
  if (baseline.metric != metric)
    refuse(experiment, fmt::format("this is a baseline of the metric `{}`; `{}` decides here", baseline.metric, metric));
  return curves_of(baseline);
}

}  // namespace

std::vector<judge::Curve> recorded_curves(const configs::Experiment& experiment) {
  const std::string& written = experiment.reference.curve->value;
  const auto file = std::filesystem::absolute(experiment.file).parent_path() / written;
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

}  // namespace bisectd::driver
