// Reads what msprobe dumped of one training step (dump.json and, for who called whom, construct.json beside it).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "driver/align/recording.hpp"

namespace bisectd::driver::align {

/// The step's first forward, and the backward of that. What is called after the backward began is left out: the optimizer,
/// further micro-batches, and what is computed again for want of memory. A function is a call, too, as Functional.gelu.
/// Throws std::runtime_error "FILE: why" for a file that is no dump or has no statistics; std::system_error for one that
/// cannot be read.
Recording read_dump(const std::filesystem::path& dump_json);

struct Statistics {
  std::vector<std::int64_t> shape;
  std::string dtype;
  std::optional<double> max, min, mean, norm;  ///< integers have no mean and no norm
};

/// Such a tensor, so that relative_error() compares it: its largest and smallest elements stand for the sample.
/// Nothing if no figure is known.
std::optional<Described> described(const Statistics& statistics);

}  // namespace bisectd::driver::align
