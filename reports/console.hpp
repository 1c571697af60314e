// The result as the last thing `run` prints on stdout. Short, aligned, and just as readable without colour.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

enum class Colour { never, always };

/// Several lines with their last newline. `Colour::always` adds ANSI SGR sequences; foreign text cannot add any.
std::string result_text(const Record& record, Colour colour);

}  // namespace bisectd::reports
