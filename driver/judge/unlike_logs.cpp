#include "driver/judge/unlike_logs.hpp"

#include <fmt/format.h>

namespace bisectd::driver::judge {

std::optional<Problem> unlike_logs(const Reference& reference, const Curve& run) {
  const std::string& metric = reference.metric.name;
  const auto logged = run.series.find(metric);
  if (logged == run.series.end() || logged->second.empty() || !sane_steps(logged->second)) return std::nullopt;
  if (counts_anew(logged->second))
    return Problem{"steps-begin-again",
                   fmt::format("the steps of {} begin again at {} while its values go on: log a step that goes on over all "
                               "epochs, or train within one epoch",
                               metric, logged->second.front().step),
                   ""};
  const auto found = run.smoothing.find(metric);
  const Smoothing* mine = found == run.smoothing.end() ? nullptr : &found->second;
  const Smoothing* known = mine || !reference.smoothing ? mine : &*reference.smoothing;
  const Track track = tidy(logged->second);
  if (!known || track.size() < 2) return std::nullopt;
  std::optional<std::int64_t> here, there;
  // A side that is not known to smooth prints single steps, or was recorded from a trainer of that kind.
  if (known->since_last_line) {
    here = stride(track.steps);
    there = reference.stride;
  } else if (mine && reference.smoothing) {
    here = mine->window;
    there = reference.smoothing->window;
  }
  if (!here || !there || *here == *there) return std::nullopt;
  return Problem{"smoothed-otherwise",
                 fmt::format("{}: {} here and {} in the reference. Such values cannot be compared; log both sides alike",
                             known->text, *here, *there),
                 ""};
}

}  // namespace bisectd::driver::judge
