// See reference.hpp. Which runs count, then the grid, the mean and the noise floor.
#include "driver/judge/reference.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "driver/judge/events.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/non_finite.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr std::size_t kFewestReferences = 3;  ///< a broken run is dropped while this many are left
constexpr std::size_t kDivergedSteps = 3;     ///< a run whose last so many values are not finite has diverged
constexpr double kNoNumber = std::numeric_limits<double>::infinity();
constexpr double kExploded = 1000;       ///< no loss that is learnt ends so far above the middle of its values
constexpr double kWholeReference = 0.9;  ///< a run that ends before this share of the longest was cut short

using Tracks = std::vector<Track>;

bool finite_at(const Track& track, std::int64_t step) {
  const auto found = std::lower_bound(track.steps.begin(), track.steps.end(), step);
  return found != track.steps.end() && *found == step &&
         std::isfinite(track.values[static_cast<std::size_t>(found - track.steps.begin())]);
}

std::vector<std::int64_t> non_finite_steps(const Track& track) {
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < track.size(); ++i) {
    if (!std::isfinite(track.values[i])) steps.push_back(track.steps[i]);
  }
  return steps;
}

/// A loss that ends so far above its middle value has diverged, though the numbers last: from there on it is no number.
void end_where_it_explodes(Track& track) {
  std::vector<double> sizes;
  for (const double value : track.values) sizes.push_back(std::isfinite(value) ? std::abs(value) : kNoNumber);
  const double most = kExploded * quantile(sizes, 0.5);
  if (most == 0 || std::abs(track.values.back()) <= most) return;
  for (double& value : track.values)
    if (std::abs(value) > most) value = kNoNumber;
}

/// Removes the tracks marked as broken and says so.
void drop(Reference& reference, const std::vector<bool>& broken, const std::string& why) {
  Tracks kept;
  for (std::size_t i = 0; i < reference.runs.size(); ++i) {
    if (broken[i]) ++reference.left_out[why];
    else kept.push_back(std::move(reference.runs[i]));
  }
  reference.runs = std::move(kept);
}

void drop_short(Reference& reference) {
  const Tracks& tracks = reference.runs;
  std::int64_t first = tracks.front().steps.front(), longest = tracks.front().steps.back();
  for (const Track& track : tracks) {
    first = std::min(first, track.steps.front());
    longest = std::max(longest, track.steps.back());
  }
  const double missing = (1 - kWholeReference) * static_cast<double>(longest - first + 1);
  std::vector<bool> broken;
  for (const Track& track : tracks) broken.push_back(static_cast<double>(longest - track.steps.back()) > missing);
  drop(reference, broken, "ended early");
}

/// Values that are not finite at the end of a run, in a row.
std::size_t non_finite_end(const Track& track) {
  const auto last =
      std::find_if(track.values.rbegin(), track.values.rend(), [](double value) { return std::isfinite(value); });
  return static_cast<std::size_t>(last - track.values.rbegin());
}

/// Runs with NaN or infinity of their own go, while enough are left; a run that ends so goes where too few are left, and if
/// it has diverged in its first half. Sets the steps where no run is finite, and how many diverged: a few single values do
/// not count.
void drop_non_finite(Reference& reference) {
  const Tracks& tracks = reference.runs;
  std::vector<std::int64_t> excused = non_finite_steps(tracks.front());
  std::erase_if(excused, [&](std::int64_t step) {
    return std::any_of(tracks.begin(), tracks.end(), [step](const Track& track) { return finite_at(track, step); });
  });
  std::vector<bool> broken, ends_so;
  for (const Track& track : tracks) {
    broken.push_back(non_finite_steps(track).size() > excused.size());
    ends_so.push_back(!std::isfinite(track.values.back()));
  }
  const auto clean = static_cast<std::size_t>(std::count(broken.begin(), broken.end(), false));
  const bool enough = clean >= kFewestReferences;
  std::vector<bool> goes = enough ? broken : ends_so;
  // Where every run diverges early, none of them by itself, its first steps would be taken for the training. Where all do
  // late, a healthy one may a step earlier, or not at all.
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::size_t end = non_finite_end(tracks[i]);
    if (goes[i] ? diverges(excused, tracks[i]) : end >= kDivergedSteps) ++reference.diverged;
    goes[i] = goes[i] || (end >= kDivergedSteps && 2 * end > tracks[i].size());
  }
  drop(reference, goes, "held NaN or infinity, or exploded");
  reference.excused = std::move(excused);
}

/// Bit-identical runs are one observation, however often they were made.
std::size_t merge_identical(Tracks& tracks) {
  Tracks distinct;
  for (Track& track : tracks) {
    const bool known =
        std::any_of(distinct.begin(), distinct.end(), [&](const Track& other) { return identical(track, other); });
    if (!known) distinct.push_back(std::move(track));
  }
  const std::size_t merged = tracks.size() - distinct.size();
  tracks = std::move(distinct);
  return merged;
}

/// Values of every run on the grid; steps where one of them is not finite leave the grid.
std::vector<std::vector<double>> values_on_grid(Reference& reference) {
  std::vector<std::vector<double>> values;
  values.reserve(reference.runs.size());
  for (const Track& run : reference.runs) values.push_back(match(run, reference.steps).values);
  std::size_t kept = 0;
  for (std::size_t t = 0; t < reference.steps.size(); ++t) {
    if (!std::all_of(values.begin(), values.end(), [t](const auto& run) { return std::isfinite(run[t]); })) continue;
    reference.steps[kept] = reference.steps[t];
    for (auto& run : values) run[kept] = run[t];
    ++kept;
  }
  reference.steps.resize(kept);
  for (auto& run : values) run.resize(kept);
  return values;
}

Spread level_spread(const Reference& reference) {
  const Places last = places_in(reference, reference.window);
  const Places before = places_in(reference, window_before(reference.window));
  if (2 * before.size() < last.size()) return spread_of(levels_in(reference, last));
  return spread_of(levels_in(reference, last), levels_in(reference, before));
}

tl::unexpected<Problem> problem(std::string code, std::string message, std::string hint) {
  return tl::unexpected(Problem{std::move(code), std::move(message), std::move(hint)});
}

}  // namespace

std::string unusable_text(const Problem& problem) {
  return fmt::format("the reference cannot be used: {}.{}{}", problem.message, problem.hint.empty() ? "" : " ",
                     problem.hint);
}

std::vector<MetricRule> judged_metrics(std::span<const configs::Metric> metrics) {
  std::vector<MetricRule> rules;
  for (const configs::Metric& metric : metrics)
    if (!metric.is_watched()) rules.push_back({.name = metric.name, .higher_is_better = metric.higher_is_better});
  return rules;
}

Spread known_spread(const Reference& reference, const NoisePool& pool) {
  Spread all = reference.subject ? Spread{} : reference.level;
  all += pool.total;
  return all;
}

Window window_at(const Reference& reference, std::int64_t last) {
  // Steps start one stride before the first logged one: a run that logs every 10 steps first logs step 10.
  const double run = static_cast<double>(reference.steps.back() - reference.steps.front() + reference.stride);
  const auto length = std::max<std::int64_t>(1, std::llround(reference.accept.window * run));
  return {last - length, last};
}

Places places_in(const Reference& reference, const Window& window) {
  const auto& steps = reference.steps;
  const auto place = [&](std::int64_t step) {
    return static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), step) - steps.begin());
  };
  return {place(window.first), place(window.last)};
}

std::vector<double> levels_in(const Reference& reference, const Places& places) {
  std::vector<double> levels, values;
  for (const auto& run : reference.residuals) {
    const auto part = std::span(run).subspan(places.from, places.size());
    values.assign(part.begin(), part.end());
    levels.push_back(trimmed_mean(values, reference.accept.trim));
  }
  return levels;
}

tl::expected<Reference, Problem> prepare_reference(const configs::Acceptance& accept, std::span<const Curve> curves,
                                                   const MetricRule& metric, std::optional<std::int64_t> last) {
  if (curves.empty()) return problem("no-reference", "there is no reference run", "run the reference at least once");
  Reference reference;
  reference.accept = accept;
  reference.metric = metric;
  reference.perturbed = std::ranges::any_of(curves, [](const Curve& curve) { return curve.perturbed != 0; });
  reference.coarsely = std::ranges::any_of(curves, [](const Curve& curve) { return is_coarse(curve.perturbed); });
  for (const Curve& curve : curves) {
    const auto found = curve.series.find(metric.name);
    if (found != curve.series.end() && !sane_steps(found->second)) {
      return problem("bad-steps", fmt::format("a reference run logged {} at an impossible step", metric.name),
                     "check the step in the format or pattern of the metric");
    }
    if (found != curve.series.end() && counts_anew(found->second)) {
      return problem(
          "steps-begin-again",
          fmt::format("the steps of {} begin again at {} while its values go on: as if each epoch had steps of its "
                      "own",
                      metric.name, found->second.front().step),
          "log a step that goes on over all epochs, or train within one epoch");
    }
    Track track = found == curve.series.end() ? Track{} : tidy(found->second);
    if (last) {
      reference.shortened = reference.shortened || (!track.empty() && track.steps.back() > *last);
      track = until(std::move(track), *last);
    }
    if (track.empty()) {
      ++reference.left_out[fmt::format("logged no {}", metric.name)];
      continue;
    }
    if (!metric.higher_is_better) end_where_it_explodes(track);
    if (const auto smoothing = curve.smoothing.find(metric.name); smoothing != curve.smoothing.end())
      reference.smoothing = smoothing->second;
    reference.resumed += track.resumed;
    reference.runs.push_back(std::move(track));
    for (const char* name : {kLossScale, kGradNorm}) {
      const auto extra = curve.series.find(name);
      if (extra != curve.series.end() && !extra->second.empty()) reference.watched[name].push_back(tidy(extra->second));
    }
  }
  if (reference.runs.empty()) {
    return problem("no-curve", fmt::format("no reference run logged \"{}\"", metric.name),
                   "check the metric's name and its format or pattern");
  }
  drop_short(reference);
  drop_non_finite(reference);
  if (reference.runs.empty()) {
    return problem("not-finite",
                   fmt::format("every reference run ends with a {} that is not finite, or has exploded", metric.name),
                   "mend the reference first, it must train; or compare what comes before that (`steps`)");
  }
  reference.given = reference.runs.size();
  const std::size_t merged = merge_identical(reference.runs);
  reference.steps = common_steps(reference.runs);
  if (reference.steps.empty()) {
    return problem("no-common-steps", "the reference runs have no step in common", "log at the same steps in every run");
  }
  for (Track& run : reference.runs) run = until(std::move(run), reference.steps.back());
  const auto values = values_on_grid(reference);
  if (reference.steps.empty()) {
    return problem("not-finite", fmt::format("there is no step where every reference has a finite {}", metric.name),
                   "mend the reference first: it must train");
  }
  reference.stride = stride(reference.steps);

  const auto m = static_cast<double>(values.size());
  reference.mean.assign(reference.steps.size(), 0.0);
  for (const auto& run : values) {
    for (std::size_t t = 0; t < run.size(); ++t) reference.mean[t] += run[t] / m;
  }
  reference.scale = scale_of(reference.mean, accept.absolute_tolerance / accept.target);
  if (*std::min_element(reference.scale.begin(), reference.scale.end()) <= 0) {
    return problem("all-zero",
                   fmt::format("the reference's {} is zero everywhere: nothing is relative to zero", metric.name),
                   "set an absolute tolerance under accept:, or judge another metric");
  }
  for (const auto& run : values) {
    std::vector<double> residual(run.size());
    for (std::size_t t = 0; t < run.size(); ++t) residual[t] = relative(run[t], reference.mean[t], reference.scale[t]);
    reference.residuals.push_back(std::move(residual));
  }
  reference.unstable_from = unstable_from(reference);
  reference.noise_floor = noise_floor_of(reference);
  reference.window = window_at(reference, reference.last_step());
  reference.level = level_spread(reference);
  reference.level.identical = static_cast<int>(merged);
  return reference;
}

}  // namespace bisectd::driver::judge
