// Everything that one attempt writes, read while it is written: its output, and the files of its metrics. Knows neither
// verdicts nor families.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/read/event_files.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/learnt_metrics.hpp"
#include "driver/read/metric_reader.hpp"
#include "driver/read/names.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// Where an attempt writes. An empty path: there is no such file.
struct AttemptFiles {
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  std::filesystem::path metrics_file;  ///< the side channel: JSON lines that the training writes if it cooperates
  std::filesystem::path folder;        ///< files of metrics are relative to it
};

class AttemptLog {
 public:
  /// Names are counted in stdout and stderr. A metric without a file of its own is read from both; one in event files,
  /// from `stdout_file`, which then is the event file or a folder of them. A metric that the side channel has (by its
  /// name, or loss_scale or grad_norm) is read from there alone: what it prints elsewhere may be rounded. How a metric
  /// without format and pattern is read is found out, unless one of `known` reads it. Throws std::invalid_argument for a
  /// format or pattern that cannot work; the loader of experiments has refused these before.
  AttemptLog(const AttemptFiles& files, const std::vector<configs::Metric>& metrics, const std::vector<NamePattern>& watched,
             const Readings& known = {});

  /// Reads what is new; true if anything was, be it half a line. Never throws for what a file holds or lacks.
  bool poll();

  /// To be called once, when the attempt has ended: reads the rest, and the last line even if it is torn.
  void finish();

  const judge::Curve& curve() const { return curve_; }
  /// The highest step of any metric.
  std::optional<std::int64_t> last_step() const;
  /// The highest step of this metric.
  std::optional<std::int64_t> last_step(const std::string& metric) const;
  /// The highest step of whatever stands in the file that the training was given for its metrics.
  std::optional<std::int64_t> last_side_step() const;
  /// What was counted for each watched pattern, in their order.
  std::vector<NameCounts> names() const { return names_.counts(); }
  /// "stdout.log:12: the value 'abc' ...": lines that should have held a value, files that could not be read.
  std::vector<std::string> errors() const;
  /// What is odd but no error: clipped lines, files that started again.
  std::vector<std::string> notes() const;

  /// How the metrics that nobody described are read, and where: what was found out from this log, and what was known.
  std::vector<LearntMetric> learnt() const;

 private:
  struct File {
    explicit File(const std::filesystem::path& path) : follower(path) {}

    Follower follower;
    Sieve sieve;
    std::vector<std::size_t> readers;  ///< that read this file
    bool counts_names = false;
    bool is_side_channel = false;
    std::vector<LearntMetric> to_learn;    ///< metrics that nobody described
    std::optional<LearntMetrics> metrics;  ///< these
    std::string problem;                   ///< it could not be read; nothing more is expected of it
  };
  void add_metric(const configs::Metric& metric, const AttemptFiles& files);
  void add_side_channel(const std::filesystem::path& path, const std::vector<configs::Metric>& metrics);
  void take_side(const Line& line);
  void forget_printed(const std::string& metric);
  File& add_file(const std::filesystem::path& path);
  /// Of the first judged metric in the file; absent: none is in it.
  std::optional<std::int64_t> logged_step(const File& file) const;
  bool read(File& file, bool to_the_end);
  void take_learnt();
  /// The file in which most of a metric's values are found, and the metric there.
  std::pair<const LearntMetrics*, const LearntMetric*> best_of(const std::string& metric) const;
  void take(File& file, const Block& block);

  std::vector<File> files_;
  std::vector<std::optional<MetricReader>>
      readers_;  ///< one per metric; absent where it is learnt, in event files or from the side
  std::vector<std::string> names_of_metrics_;  ///< one per metric
  std::vector<std::string> learnt_;            ///< metrics that nobody described
  std::vector<EventFiles> events_;
  std::vector<MetricReader> side_readers_;
  std::set<std::string> from_side_;  ///< metrics that the side channel has
  bool ended_ = false;
  NameCounter names_;
  judge::Curve curve_;
};

}  // namespace bisectd::driver::read
