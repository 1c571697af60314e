// Turns the bytes of one YAML file into a Value tree and guards everything that YAML or yaml-cpp would let through.
// Knows nothing of experiments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "configs/problems.hpp"
#include "configs/value.hpp"

namespace bisectd::configs {

/// The tree of the only document in `bytes`; its places name `file`. Adds a problem for text that is not UTF-8, control
/// characters, syntax errors, repeated keys, keys that are no words, merge keys, tags, unknown or recursive aliases,
/// more than one document, nothing at all, and too much (1 MiB, 64 levels, 20,000 values with aliases expanded).
/// Empty if nothing usable is left.
std::optional<Value> parse_yaml(std::string_view bytes, const std::string& file, Problems& problems);

}  // namespace bisectd::configs
