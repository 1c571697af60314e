// See detect.hpp.
#include "driver/read/detect.hpp"

#include <utility>

#include "driver/judge/align.hpp"
#include "driver/read/assemble.hpp"
#include "driver/read/beginning.hpp"
#include "driver/read/formats.hpp"
#include "driver/read/metric_reader.hpp"

namespace bisectd::driver::read {
namespace {

namespace fs = std::filesystem;

struct ReadAs {
  judge::Series values;
  bool clean = true;  ///< without a line that the format should be able to read and cannot
};

ReadAs read_as(const Format& format, const std::string& text, const std::string& name, const std::string& step_key) {
  configs::Metric metric;
  metric.name = name;
  metric.format.value = format.name;
  metric.step_key = step_key;
  MetricReader reader(metric);
  judge::Curve curve;
  LineAssembler lines;
  const auto feed = [&](const Block& block) { for_each_line(block, [&](const Line& line) { reader.feed(line, curve); }); };
  lines.feed(text, feed);
  lines.finish(feed);
  return {std::move(curve.series[name]), reader.wrong_line_count() == 0};
}

/// Set if files of this framing are there.
std::optional<std::string> event_format(const fs::path& path) {
  const auto by_name = [](const std::string& name) -> std::optional<std::string> {
    if (name.find("tfevents") != std::string::npos) return "tfevents";
    if (name.find("vdlrecords") != std::string::npos) return "vdlrecords";
    return std::nullopt;
  };
  if (!fs::is_directory(path)) return by_name(path.filename().string());
  for (const auto& entry : fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied))
    if (auto format = by_name(entry.path().filename().string())) return format;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> detect_format(const fs::path& path, const std::string& metric, const std::string& step_key) {
  if (auto format = event_format(path); format || fs::is_directory(path)) return format;
  const std::string text = beginning_of(path);
  std::optional<std::string> best;
  ReadAs most{.clean = false};
  for (const Format& format : formats()) {
    if (format.kind == FormatKind::tensorboard || format.kind == FormatKind::visualdl) continue;
    ReadAs read = read_as(format, text, metric, step_key);
    if (read.values.empty() || std::pair(read.clean, read.values.size()) < std::pair(most.clean, most.values.size()))
      continue;
    const bool tie = read.clean == most.clean && read.values.size() == most.values.size();
    if (tie && judge::identical(judge::tidy(read.values), judge::tidy(most.values))) continue;  // it does not matter which
    best = tie ? std::nullopt : std::optional<std::string>(format.name);
    most = std::move(read);
  }
  return best;
}

}  // namespace bisectd::driver::read
