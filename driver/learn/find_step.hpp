// Where the step of a value stands, and which step each value belongs to: epochs that begin the count again, bars that are
// refreshed, processes that all write.
#pragma once

#include <vector>

#include "driver/learn/reading.hpp"

namespace bisectd::driver::learn {

/// Fills in where the step stands, for these rows. Throws Refusal.
void find_step(Found& found, Rows rows, const LogKinds& log);

/// The step of each row that is read, refreshes and all.
std::vector<LogPoint> walk(const Reading& reading, const Rows& rows, const LogKinds& log);

/// One value for each step: the last one, as a bar is refreshed.
std::vector<LogPoint> points_of(const Reading& reading, const Rows& rows, const LogKinds& log);

}  // namespace bisectd::driver::learn
