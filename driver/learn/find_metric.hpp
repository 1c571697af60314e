// Which number of a log is the metric: by its name first; where names are as good, by what the values say.
#pragma once

#include <string>
#include <vector>

#include "driver/learn/log_kinds.hpp"

namespace bisectd::driver::learn {

struct FoundMetric {
  std::string key;
  std::vector<const Kind*> kinds;  ///< that have it
  std::vector<std::string> notes;
};

/// `wish`: the metric's name; empty or "loss": the loss of the training. Throws Refusal.
FoundMetric find_metric(const LogKinds& log, const std::string& wish);

}  // namespace bisectd::driver::learn
