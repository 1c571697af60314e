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

/// All series of one attempt, by metric name. Besides the metrics the judge watches "loss_scale" and "grad_norm"; `check`
/// compares "learning_rate".
struct Curve {
  std::map<std::string, Series> series;
  std::map<std::string, Smoothing> smoothing;  ///< by metric, where the trainer is known to smooth it
  std::optional<int> perturbed = 0;  ///< seed of the perturbation that this run was started with; 0: none; empty: nobody
                                     ///< knows, as of a log that was brought
};

/// Without what was logged after the step `last`, if one is given.
inline Curve up_to(Curve curve, std::optional<std::int64_t> last) {
  if (last)
    for (auto& [metric, points] : curve.series)
      std::erase_if(points, [&](const Point& point) { return point.step > *last; });
  return curve;
}

/// Why something cannot be judged at all. Not a verdict: somebody must change something first.
struct Problem {
  std::string code;     ///< stable, for scripts: no-curve, no-common-steps, all-zero, ...
  std::string message;  ///< one sentence for people
  std::string hint;     ///< what to do; may be empty
};

}  // namespace bisectd::driver::judge
