// Fuzzes the readers of logs, event files and spreadsheets: whatever the bytes, nothing crashes, and reading a log in two
// pieces gives what reading it at once gives. The first byte chooses the reader, the second where the bytes are cut.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "configs/formats.hpp"
#include "driver/align/spreadsheet.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/learnt_metrics.hpp"
#include "driver/read/metric_reader.hpp"
#include "driver/read/names.hpp"
#include "driver/read/scalar_events.hpp"
#include "driver/read/sieve.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::driver::read;
using driver::align::TakeRow;

struct Seen {
  std::vector<driver::judge::Point> points;
  std::int64_t wrong = 0;
  std::vector<NameCounts> names;
  std::string problem;
};

bool same(const Seen& a, const Seen& b) {
  if (a.points.size() != b.points.size() || a.wrong != b.wrong || a.names != b.names || a.problem != b.problem) return false;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const bool both_nan = std::isnan(a.points[i].value) && std::isnan(b.points[i].value);
    if (a.points[i].step != b.points[i].step || (a.points[i].value != b.points[i].value && !both_nan)) return false;
  }
  return true;
}

/// Format number `choice` of the table, or a pattern beyond it.
configs::Metric metric_of(std::size_t choice) {
  configs::Metric metric;
  metric.name = "loss";
  if (choice < configs::metric_formats().size()) metric.format.value = configs::metric_formats()[choice].name;
  else metric.pattern = configs::Placed<std::string>{R"((?:step (?P<step>\d+))?.*loss[:=]? *(?P<value>[-+.\deE]+))", {}};
  if (choice % 2 == 1) metric.file = "own";  // stricter: every line must hold a value or a header
  return metric;
}

Seen read_lines(std::string_view first, std::string_view second, const configs::Metric& metric) {
  MetricReader reader(metric);
  NameCounter names({{R"(ran (?P<name>\w+)(?: (?P<detail>\w+))?)"}});
  driver::judge::Curve curve;
  Sieve sieve;
  sieve.add(reader.needed());
  for (const Needed& needed : names.needed()) sieve.add(needed);
  LineAssembler assembler;
  const auto take = [&](const Block& block) {
    sieve.pick(block, [&](const Line& line) {
      reader.feed(line, curve);
      names.feed(line);
    });
  };
  assembler.feed(first, take);
  assembler.feed(second, take);
  assembler.finish(take);
  return {curve.series["loss"], reader.wrong_line_count(), names.counts(), {}};
}

Seen read_records(std::string_view first, std::string_view second, Framing framing) {
  RecordFrames frames(framing);
  Seen seen;
  const auto take = [&](std::string_view record) {
    const auto scalars = scalars_of(record, framing);
    if (!scalars) ++seen.wrong;
    else
      for (const ScalarEvent& scalar : *scalars) seen.points.push_back({scalar.step, scalar.value});
  };
  frames.feed(first, take);
  frames.feed(second, take);
  seen.problem = frames.problem();
  return seen;
}

constexpr std::uint8_t kSpreadsheets = 255, kUndescribed = 254;  ///< first byte

/// As a log that nobody described.
Seen read_undescribed(std::string_view first, std::string_view second) {
  LearntMetrics metrics({{.metric = "loss", .key = "loss"}}, {});
  LineAssembler assembler;
  const auto take = [&](const Block& block) { metrics.take(block); };
  assembler.feed(first, take);
  assembler.feed(second, take);
  assembler.finish(take);
  metrics.look(true);
  Seen seen;
  if (const auto& found = metrics.metrics()[0].found) seen.points = series_of(found->points);
  return seen;
}

/// As a file and, so that no checksum keeps the bytes from the reader of XML, as its sheet and strings.
void read_spreadsheets(std::string_view first, std::string_view second) {
  const TakeRow take = [](const std::vector<std::string>& row) {
    if (row.size() > driver::align::kMostColumns) std::abort();
  };
  try {
    driver::align::read_sheet(std::string(first), std::string(second), take);
  } catch (const std::invalid_argument&) {
  }
  static MemoryFile file;
  try {
    driver::align::read_spreadsheet(file.with(std::string(first) + std::string(second)), take);
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t choice = data[0] % (configs::metric_formats().size() + 1);
  const std::size_t cut = bytes.size() * data[1] / 256;
  if (data[0] == kSpreadsheets) {
    read_spreadsheets(bytes.substr(0, cut), bytes.substr(cut));
    return 0;
  }
  const auto read = [&](std::string_view first, std::string_view second) {
    if (data[0] == kUndescribed) return read_undescribed(first, second);
    if (choice < configs::metric_formats().size() &&
        configs::metric_formats()[choice].kind == configs::FormatKind::tensorboard)
      return read_records(first, second, Framing::tensorflow);
    if (choice < configs::metric_formats().size() && configs::metric_formats()[choice].kind == configs::FormatKind::visualdl)
      return read_records(first, second, Framing::visualdl);
    return read_lines(first, second, metric_of(choice));
  };
  if (!same(read(bytes, {}), read(bytes.substr(0, cut), bytes.substr(cut)))) std::abort();
  return 0;
}
