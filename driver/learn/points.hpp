// Which step each value belongs to, once it is known where the step stands.
#pragma once

#include <vector>

#include "driver/learn/reading.hpp"

namespace bisectd::driver::learn {

/// The step of each row that is read, refreshes and all.
std::vector<LogPoint> walk(const Reading& reading, const Rows& rows, const LogKinds& log);

/// One value for each step: the last one, as a bar is refreshed.
std::vector<LogPoint> points_of(const Reading& reading, const Rows& rows, const LogKinds& log);

}  // namespace bisectd::driver::learn
