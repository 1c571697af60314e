// Reads the comparison of two dumps that msprobe (msprobe compare) or ptdbg made, as CSV or spreadsheet: which module
// or function leaves the reference, in the order of execution.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "configs/experiment.hpp"

namespace bisectd::driver::align {

/// What a comparison says.
struct DumpFindings {
  std::vector<configs::Hint> hints;
  std::string remark;  ///< calls that the other side does not have; empty: none
};

/// Hints for odds. The first module and the first function that are off get most, others whose inputs are not off less, what
/// only passes an error on nothing. Off is what the tool calls an error, and by the columns that are there:
/// - cosine < 0.99 and a largest absolute error > 0.001; cosine < 0.9; a largest absolute error > 1; unless no element is
///   off by more than kDumpBound of itself;
/// - statistics of both sides that differ by more than kDumpBound (relative_error()).
/// What only the subject calls was compared with nothing: it gets a hint where nothing before it is off. Throws
/// std::invalid_argument "line N: why".
inline constexpr double kDumpBound = 0.01;
DumpFindings findings_in_dump_comparison(const std::string& csv);
/// The same of the first sheet of an .xlsx file.
DumpFindings findings_in_dump_spreadsheet(const std::filesystem::path& xlsx);

}  // namespace bisectd::driver::align
