// The metric formats that can be read, by name. Adding one is one line here and a reader in the driver.
#pragma once

#include <array>
#include <string_view>

namespace bisectd::configs {

struct MetricFormat {
  std::string_view name;
  bool has_step_key;  ///< the step stands under a key or column that can be named
};

constexpr std::array<MetricFormat, 4> kMetricFormats{{
    {"paddleocr", false},  ///< PaddleOCR's log lines
    {"paddleseg", false},  ///< PaddleSeg's log lines
    {"jsonl", true},       ///< one JSON object per line
    {"csv", true},         ///< a header row, then one row per step
}};

}  // namespace bisectd::configs
