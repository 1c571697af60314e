// An experiment file laid over the preset or file that it extends. Knows keys only as far as laying over needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "configs/problems.hpp"
#include "configs/value.hpp"

namespace bisectd::configs {

struct Layers {
  Value merged;                        ///< without `version` and `extends`; every node keeps the place it came from
  std::optional<std::string> extends;  ///< what the file itself extends
};

/// The file that `extends` names: a path ending in .yaml, relative to the file that says it, or a preset. Empty, with a
/// problem, if there is none.
std::optional<std::filesystem::path> extended_file(const Placed<std::string>& extends, Problems& problems);

/// Reads `file` and what it extends, nearest last: maps are merged key by key, everything else is replaced. Checks
/// `version` of every file. Empty if a file cannot be used; std::system_error if `file` itself cannot be read.
std::optional<Layers> read_layers(const std::filesystem::path& file, Problems& problems);

}  // namespace bisectd::configs
