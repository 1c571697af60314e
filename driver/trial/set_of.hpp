// A set of suspects as the journal has it, read back.
#pragma once

#include <string>

#include "strategies/suspect.hpp"

namespace bisectd::driver {

/// Inverse of set_key; throws std::invalid_argument for a text that is none.
strategies::SuspectSet set_of(const std::string& key);

}  // namespace bisectd::driver
