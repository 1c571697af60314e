// What `hold` keeps the same in every run of both sides: the seed that a training begins with, and deterministic kernels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "configs/place.hpp"

namespace bisectd::configs {

struct Hold {
  std::optional<std::int64_t> seed;
  bool deterministic = false;
  std::map<std::string, std::string> environment;  ///< variables of every run of both sides; may hold the placeholders of a
                                                   ///< family's variables
  Place place;
};

}  // namespace bisectd::configs
