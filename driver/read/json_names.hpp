// Names in a JSON file that a run leaves: fusion passes that fired, operators that ran. Knows no families.
#pragma once

#include <filesystem>
#include <string>

#include "driver/read/names.hpp"

namespace bisectd::driver::read {

/// Which file, and where names stand in it; the syntax of both is configs::NamesInFile's.
struct NamesFile {
  std::string file;
  std::string members;
};

struct FileNames {
  bool found = false;   ///< at least one file was there and was JSON
  NameCounts counts;    ///< how often each name was met, in all files and documents together
  std::string problem;  ///< what is wrong with a file that was there; empty: nothing
};

/// Reads the files of one attempt. A file may hold several documents one after the other, as CANN's older
/// fusion_result.json does.
FileNames read_names(const std::filesystem::path& folder, const NamesFile& wanted);

}  // namespace bisectd::driver::read
