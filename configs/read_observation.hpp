// Reads what a family says of seeing its members: discovery, effect, members that stay on. Internal to this room.
#pragma once

#include <map>
#include <string>

#include "configs/family.hpp"
#include "configs/problems.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {

/// `environment` of a family, its discovery or its effect.
std::map<std::string, std::string> read_variables(MapReader& reader, Problems& problems);
Discovery read_discovery(const Value& block, const std::string& what, Problems& problems);
Effect read_effect(const Value& block, const std::string& what, Problems& problems);
NeverOff read_never_off(const Value& block, const std::string& what, Problems& problems);

}  // namespace bisectd::configs
