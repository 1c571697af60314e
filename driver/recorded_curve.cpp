#include "driver/recorded_curve.hpp"

#include <filesystem>

#include "configs/loader.hpp"
#include "driver/read/attempt_log.hpp"

namespace bisectd::driver {

judge::Curve recorded_curve(const configs::Experiment& experiment) {
  const configs::Placed<std::string>& written = *experiment.reference.curve;
  const auto folder = std::filesystem::absolute(experiment.file).parent_path();
  // A metric that lives in a file of its own is read from the recorded file all the same.
  std::vector<configs::Metric> metrics = experiment.metrics;
  for (configs::Metric& metric : metrics) metric.file.reset();
  read::AttemptLog log({.stdout_file = folder / written.value}, metrics, {});
  log.poll();
  log.finish();
  if (!log.errors().empty()) throw configs::ConfigError({{written.place, log.errors().front(), ""}});
  return log.curve();
}

}  // namespace bisectd::driver
