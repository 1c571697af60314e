// Reads the values of a ladder. Internal to this room.
#pragma once

#include "configs/family.hpp"
#include "configs/problems.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {

/// Reads `values` and `delivered_as` from the family's block; needs its `deliver`.
void read_ladder_values(MapReader& reader, Family& family, Problems& problems);

/// What the subject has where it says nothing: any text, but hardly one letter beside a word of the ladder.
void check_ladder_suspect(const Value& suspect, const std::string& what, const Ladder& ladder, Problems& problems);

}  // namespace bisectd::configs
