// Everything that one attempt writes, read while it is written: its output, and the files of its metrics. Knows neither
// verdicts nor families.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/read/event_files.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/metric_reader.hpp"
#include "driver/read/names.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// Where an attempt writes. An empty path: there is no such file.
struct AttemptFiles {
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  std::filesystem::path folder;  ///< files of metrics are relative to it
};

class AttemptLog {
 public:
  /// Names are counted in stdout and stderr. A metric without a file of its own is read from both; one in event files,
  /// from `stdout_file`, which then is the event file or a folder of them. Throws std::invalid_argument for a format or
  /// pattern that cannot work; the loader of experiments has refused these before.
  AttemptLog(const AttemptFiles& files, const std::vector<configs::Metric>& metrics,
             const std::vector<NamePattern>& watched);

  /// Reads what is new; true if anything was, be it half a line. Never throws for what a file holds or lacks.
  bool poll();

  /// To be called once, when the attempt has ended: reads the rest, and the last line even if it is torn.
  void finish();

  const judge::Curve& curve() const { return curve_; }
  /// The highest step of any metric.
  std::optional<std::int64_t> last_step() const;
  /// What was counted for each watched pattern, in their order.
  std::vector<NameCounts> names() const { return names_.counts(); }
  /// "stdout.log:12: the value 'abc' ...": lines that should have held a value, files that could not be read.
  std::vector<std::string> errors() const;
  /// What is odd but no error: clipped lines, files that started again.
  std::vector<std::string> notes() const;
  /// The last line of output, fit to be shown: no control characters, valid UTF-8, at most 200 bytes.
  const std::string& last_line() const { return last_line_; }

  /// One per metric, in their order.
  std::vector<Printed> printed() const;

 private:
  struct File {
    explicit File(const std::filesystem::path& path) : follower(path) {}

    Follower follower;
    Sieve sieve;
    std::vector<std::size_t> readers;  ///< that read this file
    bool counts_names = false;
    std::string problem;               ///< it could not be read; nothing more is expected of it
  };
  void add_metric(const configs::Metric& metric, const AttemptFiles& files);
  File& add_file(const std::filesystem::path& path);
  bool read(File& file, bool to_the_end);
  void take(File& file, const Block& block);

  std::vector<File> files_;
  std::vector<std::optional<MetricReader>> readers_;  ///< one per metric; absent where it comes from event files
  std::vector<EventFiles> events_;
  bool ended_ = false;
  NameCounter names_;
  judge::Curve curve_;
  std::string last_line_;
};

}  // namespace bisectd::driver::read
