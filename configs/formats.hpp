// The formats of logs that an experiment may name, as data: which words mark the value, the step and the epoch. Reads
// nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::configs {

/// How a metric is to be told from a file.
enum class FormatKind { key_value, json_lines, csv, tensorboard, visualdl };

/// A number that is watched, printed beside the loss; read as a series of its own.
struct WatchedSeries {
  std::string_view series;  ///< name in the curve: loss_scale, grad_norm, learning_rate
  std::string_view key;
};

struct MetricFormat {
  std::string_view name;
  FormatKind kind = FormatKind::key_value;
  /// The step stands under a key or column that can be named.
  bool has_step_key() const { return kind == FormatKind::json_lines || kind == FormatKind::csv; }
  /// No lines of text: never found in the output.
  bool needs_file() const { return kind == FormatKind::tensorboard || kind == FormatKind::visualdl; }

  /// A line without it is not one this format speaks of.
  std::string_view marker;
  /// The key of the metric "loss".
  std::string_view loss_key = "loss";

  /// Keys of the step, the first one found counts; empty: each line with a value is the next step.
  std::vector<std::string_view> step_keys;
  /// If the step starts anew in each epoch: the key of the epoch. The step is then
  /// (epoch - first_epoch) * steps of an epoch + step; the line must name the steps of an epoch ("[2087/7312]").
  std::string_view epoch_key;
  int first_epoch = 0;
  /// Values come on lines of their own, without a step: they belong to the last step that was logged before them.
  bool takes_last_step = false;

  std::vector<WatchedSeries> watched;

  /// What the printed value is, if it is not the step's own: to be said before a night is spent on it.
  std::string_view smoothing;
  /// The setting, as the trainer prints it, that says over how many steps it smooths.
  std::string_view smoothing_setting;
  /// It smooths over the steps since the line before.
  bool smooths_since_last_line = false;
};

/// The table. Lines as read in the trainers' sources and in users' issues.
std::span<const MetricFormat> metric_formats();

/// Null: there is none of that name.
const MetricFormat* find_format(std::string_view name);

}  // namespace bisectd::configs
