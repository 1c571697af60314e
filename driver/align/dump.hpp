// Reads what msprobe dumped of one training step (dump.json and, for who called whom, construct.json beside it).
#pragma once

#include <filesystem>

#include "driver/align/recording.hpp"

namespace bisectd::driver::align {

/// The step's first forward, and the backward of that. What is called after the backward began is left out: the optimizer,
/// further micro-batches, and what is computed again for want of memory. A function is a call, too, as Functional.gelu.
/// Throws std::runtime_error "FILE: why" for a file that is no dump or has no statistics; std::system_error for one that
/// cannot be read.
Recording read_dump(const std::filesystem::path& dump_json);

}  // namespace bisectd::driver::align
