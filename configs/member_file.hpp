// A file that names members of a family, for lists that other tools write or that several experiments share.
#pragma once

#include <string>
#include <vector>

#include "configs/place.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// The names in the file, each with its place there: one a line; blank lines and those that start with # do not count,
/// nor does white space around a name. `path` is relative to the file that says it. A problem for a file that cannot be
/// read, names nothing or too much, and for a name that is there twice; whether a name is right is not looked at.
std::vector<Placed<std::string>> read_member_file(const Placed<std::string>& path, Problems& problems);

}  // namespace bisectd::configs
