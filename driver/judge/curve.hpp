// Curves as the judge sees them: steps and values. Where they were read from is not known here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

/// What a trainer prints in place of the value of a step.
struct Smoothing {
  std::string text;                    ///< "Megatron prints the mean of the last log-interval steps"
  bool since_last_line = false;        ///< over the steps since the line before
  std::optional<std::int64_t> window;  ///< over so many steps, where the log says so
};

/// All series of one attempt, by metric name. Besides the metrics the judge watches "loss_scale" and "grad_norm".
struct Curve {
  std::map<std::string, Series> series;
  std::map<std::string, Smoothing> smoothing;  ///< by metric, where the trainer is known to smooth it
  int perturbed = 0;                           ///< seed of the perturbation that this run was started with; 0: none
  bool moved_coarsely = false;                 ///< its log says that its parameters were moved by as much as float16 rounds
};

/// Without what was logged after the step `last`, if one is given.
inline Curve up_to(Curve curve, std::optional<std::int64_t> last) {
  if (last)
    for (auto& [metric, points] : curve.series)
      std::erase_if(points, [&](const Point& point) { return point.step > *last; });
  return curve;
}

/// Seeds 5, 6 and 7 ask for a perturbation of the size of float16's rounding (2^-10), all others for float32's (2^-22). A
/// reference of eight runs so has one without, four of the fine and three of the coarse size.
inline bool is_coarse(int perturbed) { return perturbed >= 5 && perturbed <= 7; }
inline constexpr double kCoarselyMoved = 0x1p-11;  ///< half of that coarse size: who was moved by more was moved coarsely

/// Why something cannot be judged at all. Not a verdict: somebody must change something first.
struct Problem {
  std::string code;     ///< stable, for scripts: no-curve, no-common-steps, all-zero, ...
  std::string message;  ///< one sentence for people
  std::string hint;     ///< what to do; may be empty
};

}  // namespace bisectd::driver::judge
