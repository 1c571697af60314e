// Metrics of one growing file that nobody described: how they are read is found out from the file, or from one before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/judge/curve.hpp"
#include "driver/learn/reading.hpp"
#include "driver/read/formats.hpp"
#include "driver/read/line.hpp"
#include "driver/read/metric_reader.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// What was learnt from earlier logs, by the metric's name, oldest first. A log is read by the first of them that finds a
/// value in it, so that one that is short or broken is never read in another way than its like.
using Readings = std::vector<std::pair<std::string, learn::Reading>>;

struct WantedMetric {
  std::string name;
  std::string key;  ///< what it is called in the log, or the end of that: "loss" is the loss of the training
};

class LearntMetrics {
 public:
  LearntMetrics(std::vector<WantedMetric> wanted, Readings known);

  void take(const Block& block);
  /// Looks at what came since. False: too little did, and nothing is changed. `ended`: nothing more comes.
  bool look(bool ended);

  /// Its place among those that are wanted.
  std::optional<std::size_t> place_of(const std::string& name) const;
  /// Absent where nothing is read, by now.
  const std::optional<learn::Found>& found(std::size_t metric) const { return metrics_[metric].found; }
  /// Why nothing is read.
  const std::string& refusal(std::size_t metric) const { return metrics_[metric].refusal; }
  bool is_ambiguous(std::size_t metric) const { return metrics_[metric].is_ambiguous; }
  /// It was found out from this file.
  bool is_new(std::size_t metric) const { return metrics_[metric].is_new; }
  /// What a trainer that prints such lines is known to smooth.
  std::optional<judge::Smoothing> smoothing(std::size_t metric) const;
  /// Another number of the lines of the first metric: that whose key ends with one of these names.
  judge::Series beside(const std::vector<std::string>& names) const;
  /// Of the lines of the first metric, and what a framework tells when it changes it.
  judge::Series loss_scale() const;

 private:
  struct Metric {
    std::optional<learn::Found> found;
    std::string refusal;
    bool is_ambiguous = false, is_new = false;
  };
  void feed(const Block& block, std::size_t from, std::size_t to);
  void read(std::size_t metric, bool learns);
  bool follow_known(std::size_t metric);
  const Format* format_of(std::size_t metric) const;

  std::vector<WantedMetric> wanted_;
  Readings known_;
  std::vector<Metric> metrics_;
  learn::LogKinds log_;
  std::int64_t learnt_at_ = 0, looked_at_ = 0;  ///< lines of the log then
  Sieve scale_lines_;
  std::vector<std::pair<std::int64_t, double>> told_scales_;  ///< place in the log, loss scale
  std::optional<std::int64_t> smoothing_window_;              ///< as the trainer says it in its settings
  std::string rest_;                                          ///< a last line without its end
};

judge::Series series_of(const std::vector<learn::LogPoint>& points);

}  // namespace bisectd::driver::read
