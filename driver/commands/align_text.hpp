// What `bisectd align` says of a comparison: a table with the error along the depth of the network, a page, JSON, its code.
#pragma once

#include <filesystem>
#include <string>

#include "driver/align/comparison.hpp"
#include "driver/commands/exit_code.hpp"

namespace bisectd::driver::commands {

/// "agrees", "deviates" or "unequal".
const char* align_verdict(const align::Comparison& comparison);

struct AlignResult {
  std::string title;             ///< the experiment's name
  std::filesystem::path folder;  ///< that gets the files
  std::string remarks;           ///< further lines for people
  bool json = false;             ///< on stdout, instead of text
};

/// Writes align.json and align.html, prints it or the table, and returns the program's exit code.
ExitCode conclude_align(const align::Comparison& comparison, const AlignResult& result);

}  // namespace bisectd::driver::commands
