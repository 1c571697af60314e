#include "driver/trial/unread_metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "configs/file_bytes.hpp"
#include "configs/printable.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/line.hpp"
#include "driver/read/attempt_log.hpp"
#include "driver/trial/attempt_files.hpp"

namespace bisectd::driver {
namespace {

constexpr std::size_t kShown = 120;                 ///< columns of a log's line
constexpr std::size_t kLookedAt = 4 * 1024 * 1024;  ///< bytes of a log

std::string last_line_with_a_number(const std::filesystem::path& log) {
  std::string last;
  read::LineAssembler assembler;
  const auto feed = [&](const read::Block& block) {
    read::for_each_line(block, [&](const read::Line& line) {
      if (std::ranges::any_of(line.text, [](unsigned char c) { return std::isdigit(c) != 0; })) last = line.text;
    });
  };
  assembler.feed(configs::bytes_in(log, kLookedAt), feed);
  assembler.finish(feed);
  return last;
}

bool is_unread(const configs::Metric& metric, const judge::Curve& curve) {
  const auto series = curve.series.find(metric.name);
  return !metric.is_watched() && (series == curve.series.end() || series->second.empty());
}

}  // namespace

std::string how_to_read(const std::vector<configs::Metric>& metrics, const configs::Side& side,
                        const AttemptOutcome& attempt) {
  const auto unread = std::ranges::find_if(metrics, [&](const auto& metric) { return is_unread(metric, attempt.curve); });
  if (unread == metrics.end() || unread->file) return "";
  configs::Metric undescribed;
  undescribed.name = unread->name;
  undescribed.value_key = unread->value_key;
  std::string last;
  for (const std::filesystem::path& file : log_files(side, attempt.folder)) {
    const std::string name = configs::printable(file.filename().string());
    read::AttemptLog log({.stdout_file = file}, {undescribed}, {});
    log.finish();
    const auto learnt = log.learnt().front();
    if (learnt.found)
      return fmt::format("`metric: {}` alone reads {}: {}", unread->name, name,
                         configs::printable(learn::said(*learnt.found)));
    if (const std::string line = last_line_with_a_number(file); last.empty() && !line.empty())
      last = fmt::format("{}: {}; the last line of {} with a number is: {}", name, configs::printable(learnt.refusal), name,
                         configs::elided(configs::printable(line), kShown));
  }
  return last;
}

}  // namespace bisectd::driver
