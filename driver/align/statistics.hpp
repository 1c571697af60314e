// Tensors of which only figures are known, as in dumps of msprobe (`task: statistics`). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/align/recording.hpp"

namespace bisectd::driver::align {

struct Statistics {
  std::vector<std::int64_t> shape;
  std::string dtype;
  std::optional<double> max, min, mean, norm;  ///< integers have no mean and no norm
};

/// Such a tensor, so that relative_error() compares it: its largest and smallest elements stand for the sample.
/// Nothing if no figure is known.
std::optional<Described> described(const Statistics& statistics);

}  // namespace bisectd::driver::align
