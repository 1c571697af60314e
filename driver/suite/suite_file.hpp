// The file that names the experiments of a suite. Reads it as strictly as an experiment; does not open the experiments.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "configs/place.hpp"

namespace bisectd::driver::suite {

struct SuiteFile {
  std::string file;  ///< as given by the user
  std::string name;
  std::vector<configs::Placed<std::string>> experiments;  ///< files that exist, resolved against the suite's folder
  std::optional<double> budget_hours;                     ///< for all of them together
};

/// Throws configs::ConfigError for anything wrong in the file, also an experiment that does not exist or is named twice;
/// std::system_error if the file cannot be read.
SuiteFile load_suite(const std::filesystem::path& file);

}  // namespace bisectd::driver::suite
