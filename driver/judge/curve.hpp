// Curves as the judge sees them: steps and values. Where they were read from is not known here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bisectd::driver::judge {

/// One logged value. `value` may be NaN or infinite: these are values, not gaps.
struct Point {
  std::int64_t step = 0;
  double value = 0;
};

/// Points in the order they were logged; steps may repeat or go back after a restart of the training.
using Series = std::vector<Point>;

/// All series of one attempt, by metric name ("loss", "acc", "loss_scale", "grad_norm", ...).
struct Curve {
  std::map<std::string, Series> series;
};

}  // namespace bisectd::driver::judge
