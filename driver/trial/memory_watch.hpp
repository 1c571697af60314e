// What the processes of a long run take of this machine's memory, and whether it grows. Pure: the sizes are given to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/launch/launcher.hpp"

namespace bisectd::driver {

class MemoryWatch {
 public:
  /// A look reads the whole memory map of each process, so it is taken once a second.
  bool due(launch::Clock::time_point now) const { return now >= next_; }
  void take(launch::Clock::time_point now, std::optional<std::uint64_t> bytes);
  /// "memory: 1.2 GB at most", and whether it grows: if the medians of four parts of the run (its first fifth, in which
  /// caches fill, left out) ascend, and the last is more than a tenth above the first. Absent with fewer than ten looks.
  std::optional<std::string> text() const;

 private:
  launch::Clock::time_point next_{};
  std::vector<double> sizes_;  ///< in bytes, in order
};

}  // namespace bisectd::driver
