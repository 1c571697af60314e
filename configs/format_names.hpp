// The metric formats that can be read, by name. What their lines look like is known to the driver's readers; a test
// checks that both know the same names.
#pragma once

#include <array>
#include <string_view>

namespace bisectd::configs {

struct MetricFormat {
  std::string_view name;
  bool has_step_key = false;  ///< the step stands under a key or column that can be named
  bool needs_file = false;    ///< no lines of text: never found in the output
};

constexpr std::array<MetricFormat, 15> kMetricFormats{{
    {"paddleocr"},
    {"paddleocr-eval"},  ///< scores of the evaluations in between, which belong to the step logged before them
    {"paddleseg"},
    {"paddleseg-eval"},
    {"paddledetection"},
    {"paddleclas"},
    {"paddlenlp"},
    {"megatron"},
    {"mindspeed"},  ///< prints what megatron prints
    {"mindformers"},
    {"huggingface"},
    {.name = "jsonl", .has_step_key = true},     ///< one JSON object per line
    {.name = "csv", .has_step_key = true},       ///< a header row, then one row per step
    {.name = "tfevents", .needs_file = true},    ///< a TensorBoard event file, or a folder with some
    {.name = "vdlrecords", .needs_file = true},  ///< a VisualDL record file, or a folder with some
}};

}  // namespace bisectd::configs
