// Reads how one family or switch is delivered. Internal to this room.
#pragma once

#include "configs/delivery.hpp"
#include "configs/problems.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {

enum class Carries {
  names,  ///< of a list
  value,  ///< of a switch or a ladder
};

/// Reads `environment`, `argument`, `config`, `key`, `value`, `file` and, for names, `each` and `separator` from the block
/// that holds them, among other keys perhaps.
Delivery read_delivery(MapReader& reader, Carries carries, Problems& problems);

}  // namespace bisectd::configs
