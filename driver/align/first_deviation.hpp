// Where a direction leaves the reference: from the errors of all modules to the one where they begin. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "driver/align/comparison.hpp"

namespace bisectd::driver::align {

/// Indices of rows in the order in which their backward ended in the reference: by the last gradient that they gave to an
/// input; a module after those within it.
std::vector<std::size_t> backward_order(const Recording& run, std::span<const Row> rows);

/// Rows in the order of execution.
std::optional<Deviation> first_forward(std::span<const Row> rows);
std::optional<Deviation> first_backward(std::span<const Row> rows, std::span<const std::size_t> order);

}  // namespace bisectd::driver::align
