// The Python that a side trains with. Knows no framework.
#pragma once

#include <filesystem>
#include <string>

#include "configs/experiment.hpp"

namespace bisectd::driver {

/// As far as the side's command shows it; else python3.
inline std::string python_of(const configs::Side& side) {
  const std::string& program = side.command.front().value;
  return std::filesystem::path(program).filename().string().starts_with("python") ? program : "python3";
}

}  // namespace bisectd::driver
