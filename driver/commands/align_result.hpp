// What `bisectd align` leaves and says when a comparison is made.
#pragma once

#include <filesystem>
#include <string>

#include "driver/commands/exit_code.hpp"
#include "driver/align/comparison.hpp"

namespace bisectd::driver::commands {

struct AlignResult {
  std::string title;             ///< the experiment's name
  std::filesystem::path folder;  ///< that gets the files
  std::string remarks;           ///< further lines for people
  bool json = false;             ///< on stdout, instead of text
};

/// Writes align.json and align.html, prints it or the table, and returns the program's exit code.
ExitCode conclude_align(const align::Comparison& comparison, const AlignResult& result);

}  // namespace bisectd::driver::commands
