// The environment bisectd itself was started in.
#pragma once

#include "driver/neutralise/recipe.hpp"

namespace bisectd::driver {

neutralise::Environment inherited_environment();

}  // namespace bisectd::driver
