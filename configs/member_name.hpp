// Is this a name that a list can hold and that exists? Every slip seen in the field is caught here: a space after the
// comma, curly quotes, the in-place form `relu_`, the name from the log instead of the one the list compares.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "configs/experiment.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// More members of one family than this are a pattern gone wrong; no search could come to an end with them either.
constexpr std::size_t kMostMembers = 10'000;

/// Why the family's delivery cannot carry this name: "holds a quote"; empty if it can.
std::string spelling_fault(std::string_view name, const Family& family);

/// Adds a problem unless `name` is a right member of the family, and a warning for a right name that logs use for
/// another member.
void check_member_name(const Placed<std::string>& name, const Family& family, Problems& problems);

/// The names in the file, each with its place there: one a line; blank lines and those that start with # do not count,
/// nor does white space around a name. `path` is relative to the file that says it. A problem for a file that cannot be
/// read, names nothing or too much, and for a name that is there twice; whether a name is right is not looked at.
std::vector<Placed<std::string>> read_member_file(const Placed<std::string>& path, Problems& problems);

}  // namespace bisectd::configs
