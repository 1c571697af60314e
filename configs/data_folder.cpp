// Finds the presets and name tables that belong to this program.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "configs/loader.hpp"

namespace bisectd::configs {

std::filesystem::path data_folder() {
  if (const char* given = std::getenv("BISECTD_DATA"); given && *given) return given;
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path installed = (program.parent_path() / BISECTD_DATA_FROM_PROGRAM).lexically_normal();
  const std::string_view in_source = BISECTD_DATA_IN_SOURCE;
  if (in_source.empty() || std::filesystem::is_directory(installed / "presets", ignored)) return installed;
  return in_source;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "presets", ignored))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace bisectd::configs
