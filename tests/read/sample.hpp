// Shared by the tests of the read room: feeds a text to readers the way the driver does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/metric_reader.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read::test {

/// Hands every line of `text` on, as if it were a whole file.
inline void for_each_line_of(std::string_view text, const TakeLine& take) {
  LineAssembler assembler;
  const auto lines = [&](const Block& block) { for_each_line(block, take); };
  assembler.feed(text, lines);
  assembler.finish(lines);
}

inline configs::Metric metric(std::string name, std::string format) {
  configs::Metric metric;
  metric.name = std::move(name);
  metric.format.value = std::move(format);
  return metric;
}

inline configs::Metric pattern_metric(std::string pattern) {
  configs::Metric metric;
  metric.name = "loss";
  metric.pattern = configs::Placed<std::string>{std::move(pattern), {}};
  return metric;
}

/// What a metric's reader makes of a log, through the sieve.
struct Read {
  explicit Read(const configs::Metric& wanted, std::string_view log) : reader(wanted) {
    Sieve sieve;
    sieve.add(reader.needed());
    LineAssembler assembler;
    const auto pick = [&](const Block& block) { sieve.pick(block, [&](const Line& line) { reader.feed(line, curve); }); };
    assembler.feed(log, pick);
    assembler.finish(pick);
  }

  std::vector<std::int64_t> steps(const std::string& series = "loss") {
    std::vector<std::int64_t> all;
    for (const judge::Point& point : curve.series[series]) all.push_back(point.step);
    return all;
  }
  std::vector<double> values(const std::string& series = "loss") {
    std::vector<double> all;
    for (const judge::Point& point : curve.series[series]) all.push_back(point.value);
    return all;
  }

  MetricReader reader;
  judge::Curve curve;
};

}  // namespace bisectd::driver::read::test
