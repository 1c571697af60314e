// Reads the comparison of two dumps that msprobe (msprobe compare) or ptdbg made, as CSV: which module or function leaves
// the reference, in the order of execution.
#pragma once

#include <string>
#include <vector>

#include "configs/experiment.hpp"

namespace bisectd::driver::align {

/// Hints for odds. The first module and the first function that are off get most, others whose inputs are not off less, what
/// only passes an error on nothing. Off is: cosine < 0.99 and a largest absolute error > 0.001; cosine < 0.9; a largest
/// absolute error > 1; or the tool's own verdict. Throws std::invalid_argument "line N: why".
std::vector<configs::Hint> hints_in_dump_comparison(const std::string& csv);

}  // namespace bisectd::driver::align
