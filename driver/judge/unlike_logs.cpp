#include "driver/judge/unlike_logs.hpp"

#include <fmt/format.h>

namespace bisectd::driver::judge {
namespace {

/// Over how many steps it smooths, if that can be told.
std::optional<std::int64_t> window_of(const std::optional<Smoothing>& smoothing, std::int64_t every) {
  if (!smoothing) return std::nullopt;
  return smoothing->since_last_line ? every : smoothing->window;
}

}  // namespace

std::optional<Problem> unlike_logs(const Reference& reference, const Curve& run) {
  const std::string& metric = reference.metric.name;
  const auto logged = run.series.find(metric);
  if (logged == run.series.end() || logged->second.empty()) return std::nullopt;
  if (counts_anew(logged->second))
    return Problem{"steps-begin-again",
                   fmt::format("the steps of {} begin again at {} while its values go on: log a step that goes on over all "
                               "epochs, or train within one epoch",
                               metric, logged->second.front().step),
                   ""};
  const auto found = run.smoothing.find(metric);
  const auto mine = found == run.smoothing.end() ? std::nullopt : std::optional(found->second);
  if (!mine && !reference.smoothing) return std::nullopt;
  const Track track = tidy(logged->second);
  if (track.size() < 2) return std::nullopt;
  // Whoever is not known to smooth prints single steps, or was recorded from a trainer of the same kind.
  auto here = window_of(mine, stride(track.steps)), there = window_of(reference.smoothing, reference.stride);
  const bool since_last_line =
      (mine && mine->since_last_line) || (reference.smoothing && reference.smoothing->since_last_line);
  if (since_last_line && !mine) here = stride(track.steps);
  if (since_last_line && !reference.smoothing) there = reference.stride;
  if (!here || !there || *here == *there) return std::nullopt;
  return Problem{"smoothed-otherwise",
                 fmt::format("{}: {} here and {} in the reference. Such values cannot be compared; log both sides alike",
                             (mine ? *mine : *reference.smoothing).text, *here, *there),
                 ""};
}

}  // namespace bisectd::driver::judge
