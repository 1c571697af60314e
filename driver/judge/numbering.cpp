// See numbering.hpp.
#include "driver/judge/numbering.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/difference.hpp"
#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
namespace {

/// Points that are compared with both numberings: later ones are apart by rounding, and where a loss falls slowly, one step
/// makes no difference.
constexpr std::size_t kCompared = 20;
constexpr double kFarBetter = 0.25;  ///< of the size of the differences

/// What the numbers of this run are greater by: 0 if its steps begin where those of the reference do, or lie otherwise.
std::int64_t shift_of(const Reference& reference, const Track& track) {
  if (track.empty() || stride(track.steps) != reference.stride) return 0;
  return track.steps.front() - reference.steps.front();
}

/// A run is cut where the steps of the experiment end, so that one that counts from a greater number may lack its end.
bool ends_as_numbered(const Reference& reference, const Track& track, std::int64_t shift) {
  return track.steps.back() - reference.last_step() == shift;
}

/// Middle size of the first differences.
double first_size(const Reference& reference, const Curve& curve) {
  std::vector<double> sizes = difference(reference, curve).values;
  sizes.resize(std::min(sizes.size(), kCompared));
  for (double& size : sizes) size = std::abs(size);
  return sizes.empty() ? 0 : quantile(sizes, 0.5);
}

}  // namespace

void doubt_numbering(const Reference& reference, std::span<const Curve> attempts, Judgement& judgement) {
  if (judgement.verdict == strategies::Verdict::pass || attempts.empty()) return;
  const auto logged = attempts.front().series.find(reference.metric.name);
  if (logged == attempts.front().series.end() || !sane_steps(logged->second)) return;
  const Track track = tidy(logged->second);
  const std::int64_t shift = shift_of(reference, track);
  if (shift == 0) return;
  std::string text = fmt::format(
      "the steps run from {} to {} here, from {} to {} in the reference: if only the numbering differs, every step was "
      "compared with another one",
      track.steps.front(), track.steps.back(), reference.steps.front(), reference.last_step());
  Curve renumbered = attempts.front();
  for (Point& point : renumbered.series[reference.metric.name]) point.step -= shift;
  if (judgement.verdict != strategies::Verdict::fail ||
      first_size(reference, renumbered) > kFarBetter * first_size(reference, attempts.front())) {
    if (!ends_as_numbered(reference, track, shift)) return;
    if (judgement.verdict == strategies::Verdict::inconclusive) {
      judgement.reason = "misnumbered";
      judgement.text = text + "; write the logs with the same first step";
    } else {
      judgement.notes.push_back(std::move(text));
    }
    return;
  }
  judgement.verdict = strategies::Verdict::inconclusive;
  judgement.reason = "misnumbered";
  judgement.text = text + "; the first ones agree far better with the same numbers: write the logs with the same first step";
  judgement.p_bad = 0.5;
  judgement.repeat_helps = false;
  judgement.first_bad_step.reset();
}

}  // namespace bisectd::driver::judge
