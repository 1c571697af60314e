// Puts series on common steps: order, repeated steps, intersection. Compares no values with a target.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "driver/judge/curve.hpp"

namespace bisectd::driver::judge {

/// A series in order: steps strictly ascending, one value each (`steps` and `values` have the same size).
struct Track {
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  std::optional<int> perturbed = 0;  ///< as Curve::perturbed
  bool resumed = false;              ///< a step was repeated or went back, as after a restart; the value logged last counts

  bool empty() const { return steps.empty(); }
  std::size_t size() const { return steps.size(); }
};

/// No step is so large (2^53) that distances between steps could overflow.
bool sane_steps(const Series& series);

/// Whether the steps begin again at the first one while the values go on, as where each epoch has steps of its own. A run
/// that was started anew begins with its first values again. The steps are sane.
bool counts_anew(const Series& series);

/// Orders a series by step; of a repeated step the last value logged wins.
Track tidy(const Series& series);

/// The track without the steps after `last`.
Track until(Track track, std::int64_t last);

/// The steps that every track has, ascending.
std::vector<std::int64_t> common_steps(std::span<const Track> tracks);

/// Median distance between neighbouring steps; 1 for fewer than two points.
std::int64_t stride(std::span<const std::int64_t> steps);

/// Same steps and bit for bit the same values, so NaN equals the same NaN and 0 does not equal -0.
bool identical(const Track& a, const Track& b);
/// All series of two runs.
bool identical(const Curve& a, const Curve& b);

/// Matches a track against ascending `grid`: for each common step the place in the grid and the value, in order.
struct Match {
  std::vector<std::size_t> at;
  std::vector<double> values;
};
Match match(const Track& track, std::span<const std::int64_t> grid);

}  // namespace bisectd::driver::judge
