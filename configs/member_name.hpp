// Is this a name that a list can hold and that exists? Every slip seen in the field is caught here: a space after the
// comma, curly quotes, the in-place form `relu_`, the name from the log instead of the one the list compares.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace bisectd::configs
