#include "driver/commands/log_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/escape.hpp"

namespace bisectd::driver::commands {

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

}  // namespace bisectd::driver::commands
