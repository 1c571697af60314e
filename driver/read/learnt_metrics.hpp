// Metrics of one growing file that nobody described: how they are read is found out from the file, or from one before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "configs/formats.hpp"
#include "driver/judge/curve.hpp"
#include "driver/learn/reading.hpp"
#include "driver/read/line.hpp"
#include "driver/read/metric_reader.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// What was learnt from earlier logs, by the metric's name, oldest first. A log is read by the first of them that finds a
/// value in it, so that one that is short or broken is never read in another way than its like.
using Readings = std::vector<std::pair<std::string, learn::Reading>>;

struct LearntMetric {
  std::string metric;  ///< its name
  std::string key;     ///< what it is called in the log, or the end of that: "loss" is the loss of the training
  std::string file;    ///< name of the log
  std::optional<learn::Found> found;  ///< absent: nothing is read, by now
  std::string refusal;                ///< why
  bool is_ambiguous = false;          ///< two readings are as likely
  bool is_new = false;                ///< found out from this log
};

class LearntMetrics {
 public:
  /// Of `metrics` the names are given.
  LearntMetrics(std::vector<LearntMetric> metrics, Readings known);

  void take(const Block& block);
  /// Looks at what came since. False: too little did, and nothing is changed. `ended`: nothing more comes.
  bool look(bool ended);

  const std::vector<LearntMetric>& metrics() const { return metrics_; }
  /// What a trainer that prints such lines is known to smooth.
  std::optional<judge::Smoothing> smoothing(const LearntMetric& metric) const;
  /// Another number of the lines of the first metric: that whose key ends with one of these names.
  judge::Series beside(const std::vector<std::string>& names) const;
  /// Of the lines of the first metric, and what a framework tells when it changes it.
  judge::Series loss_scale() const;

 private:
  void feed(const Block& block, std::size_t from, std::size_t to);
  void read(LearntMetric& metric, bool learns);
  bool follow_known(LearntMetric& metric);

  std::vector<LearntMetric> metrics_;
  Readings known_;
  learn::LogKinds log_;
  std::int64_t learnt_at_ = 0, looked_at_ = 0;  ///< lines of the log then
  Sieve scale_lines_;
  std::vector<std::pair<std::int64_t, double>> told_scales_;  ///< place in the log, loss scale
  std::optional<std::int64_t> smoothing_window_;              ///< as the trainer says it in its settings
  std::string rest_;                                          ///< a last line without its end
  std::optional<std::string_view> no_text_;                   ///< what a file is that holds no lines; empty for text
};

judge::Series series_of(const std::vector<learn::LogPoint>& points);

}  // namespace bisectd::driver::read
