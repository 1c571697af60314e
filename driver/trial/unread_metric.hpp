// What to do about a metric of which an attempt logged nothing: what would be read where nobody said how, or what the log
// looks like.
#pragma once

#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/trial/attempts.hpp"

namespace bisectd::driver {

/// Of the first judged metric that the attempt logged no value of: what is read where the experiment says nothing of how, or
/// why nothing is, with the log's last line with a number. Printable. Empty if there is no such metric, if it has a file of
/// its own, or if no log can be read.
std::string how_to_read(const std::vector<configs::Metric>& metrics, const configs::Side& side,
                        const AttemptOutcome& attempt);

}  // namespace bisectd::driver
