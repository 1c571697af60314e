// What a logged setting means, whatever way it is written: for the comparison of two logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bisectd::configs {

/// The same text for 1e-3, 0.001 and "0.0010", for 6,400 and 6400, for True and true, each within a list apart by ", ".
/// Anything else in small letters.
std::string meaning(std::string_view text);

/// The number that a text is, 6400 for "6,400"; nothing for any other text.
std::optional<double> number_in(std::string_view text);

}  // namespace bisectd::configs
