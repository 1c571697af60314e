// Which number of a log is the metric: by its name first; where names are as good, by what the values say. And where its
// step stands: beside it, in another line, begun again with each epoch; in lines of several processes or of a bar that is
// refreshed.
#pragma once

#include <string>
#include <vector>

#include "driver/learn/reading.hpp"

namespace bisectd::driver::learn {

struct FoundMetric {
  std::string key;
  std::vector<const Kind*> kinds;  ///< that have it
  std::vector<std::string> notes;
};

/// `wish`: the metric's name; empty or "loss": the loss of the training. Throws Refusal.
FoundMetric find_metric(const LogKinds& log, const std::string& wish);

/// Fills in where the step stands, for these rows. Throws Refusal.
void find_step(Found& found, Rows rows, const LogKinds& log);

}  // namespace bisectd::driver::learn
