// See reference.hpp. Which runs count, then the grid, the mean, and why runs differ.
#include "driver/judge/reference.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "driver/judge/level.hpp"
#include "driver/judge/events.hpp"
#include "driver/judge/preflight.hpp"

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
  const Places before = window_before(reference.window);
  if (2 * before.size() < reference.window.size()) return spread_of(levels_in(reference, reference.window));
  return spread_of(levels_in(reference, reference.window), levels_in(reference, before));
}

/// A perturbation of a thousandth moves the first losses by 1e-5 and more, the finest rounding by 1e-7; what is less than
/// two printed digits does not show.
constexpr std::size_t kFirstPoints = 8;
constexpr double kShows = 1e-5, kDigits = 2;
constexpr double kMovesFirst = 2e-3;  ///< what it changes the first value by at most: other masks do by per cents

/// The size from which a difference in the first values is one, as a fraction.
double shows_from(const Reference& reference) {
  return std::max(kShows, kDigits * reference.unit / reference.scale.front());
}

std::vector<double> differences(std::span<const double> run, std::span<const double> from, std::span<const double> scale) {
  std::vector<double> result(run.size());
  for (std::size_t t = 0; t < run.size(); ++t) result[t] = relative(run[t], from[t], scale[t]);
  return result;
}

/// Runs that differ by rounding hardly differ in their first twentieth, or are far closer together there than in their last
/// third. Of a log that begins late, rounding may have grown before its first value: then only runs that are clearly apart
/// there differ by chance.
Cause cause_of(const Reference& reference) {
  constexpr double kGrows = 20, kClearlyApart = 3e-3;
  constexpr std::int64_t kBeginsLate = 3;
  if (reference.distinct() < 2) return Cause::unknown;
  if (reference.metric.higher_is_better) return Cause::chance;  // evaluations of a score are noisy by nature
  const std::size_t points = reference.steps.size();
  double first = 0, last = 0;
  for (const std::size_t run : reference.plain) {
    const std::span<const double> all(reference.residuals[run]);
    first = std::max(first, rms(all.first(std::min(points, std::max<std::size_t>(points / 20, 4)))));
    last = std::max(last, rms(all.subspan(points - 1 - (points - 1) / 3)));
  }
  if (last > kGrows * first || first < shows_from(reference)) return Cause::rounding;
  return reference.steps.front() > kBeginsLate && first < kClearlyApart ? Cause::rounding : Cause::chance;
}

/// Sorts the runs: as they are, or moved. A log that was brought says nothing of that, so its first steps must.
void sort_runs(Reference& reference, std::span<const std::vector<double>> values) {
  for (std::size_t run = 0; run < values.size(); ++run) {
    const std::vector<double> apart = differences(values[run], values.front(), reference.scale);
    const std::optional<int> perturbed = reference.runs[run].perturbed;
    const Batches batches = batches_of(values[run], values.front());
    // A faulty device may make so much of a small difference that nothing is alike any more: the first value tells.
    const bool begins_alike = perturbed.value_or(0) > 0 && std::abs(apart.front()) <= kMovesFirst;
    const bool is_alike = begins_alike || batches == Batches::same;
    const bool shows = rms(std::span(apart).first(std::min(apart.size(), kFirstPoints))) > shows_from(reference) && is_alike;
    // Where the digits are too few to show it, a run that is said to be moved, and differs at all, is taken at its word.
    const bool is_believed = perturbed.value_or(0) > 0 && shows_from(reference) > kShows && is_alike;
    const bool may_be_moved = run > 0 && perturbed.value_or(1) > 0;
    ((shows || is_believed) && may_be_moved ? reference.moved : reference.plain).push_back(run);
    reference.lost += !shows && run > 0 && perturbed.value_or(0) > 0;
  }
}

tl::unexpected<Problem> problem(std::string code, std::string message, std::string hint) {
  return tl::unexpected(Problem{std::move(code), std::move(message), std::move(hint)});
}

/// The metric of one run, with what is watched beside it; a run without it is left out.
tl::expected<void, Problem> add_run(Reference& reference, const Curve& curve) {
  const std::string& name = reference.metric.name;
  const auto found = curve.series.find(name);
  if (found != curve.series.end() && !sane_steps(found->second))
    return problem("bad-steps", fmt::format("a reference run logged {} at an impossible step", name),
                   "check the step in the format or pattern of the metric");
  if (found != curve.series.end() && counts_anew(found->second))
    return problem(
        "steps-begin-again",
        fmt::format("the steps of {} begin again at {} while its values go on: as if each epoch had steps of its own", name,
                    found->second.front().step),
        "log a step that goes on over all epochs, or train within one epoch");
  Track track = found == curve.series.end() ? Track{} : tidy(found->second);
  track.perturbed = curve.perturbed;
  if (track.empty()) {
    ++reference.left_out[fmt::format("logged no {}", name)];
    return {};
  }
  if (!reference.metric.higher_is_better) end_where_it_explodes(track);
  if (const auto smoothing = curve.smoothing.find(name); smoothing != curve.smoothing.end())
    reference.smoothing = smoothing->second;
  reference.resumed += track.resumed;
  reference.runs.push_back(std::move(track));
  for (const char* watched : {kLossScale, kGradNorm}) {
    const auto extra = curve.series.find(watched);
    if (extra != curve.series.end() && !extra->second.empty()) reference.watched[watched].push_back(tidy(extra->second));
  }
  return {};
}

std::vector<double> mean_of_plain(const Reference& reference, std::span<const std::vector<double>> values) {
  std::vector<double> mean(reference.mean.size(), 0.0);
  const auto count = static_cast<double>(reference.plain.size());
  for (const std::size_t run : reference.plain)
    for (std::size_t t = 0; t < mean.size(); ++t) mean[t] += values[run][t] / count;
  return mean;
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
  Spread all = reference.subject_varies ? Spread{} : reference.level;
  all += pool.total;
  return all;
}

Apart::Apart(std::span<const std::vector<double>> runs) {
  constexpr std::size_t kLongest = 8, kFewest = 12;  // the prototype's blocks; shorter where the log has few values
  if (runs.empty()) return;
  const std::size_t points = runs.front().size();
  length_ = std::clamp<std::size_t>(points / kFewest, std::min<std::size_t>(points, 4), kLongest);
  const std::size_t half = std::max<std::size_t>(length_ / 2, 1);
  for (std::size_t from = 0; from + length_ <= points; from += half) {
    double squares = 0;
    for (const auto& run : runs)
      for (const double value : std::span(run).subspan(from, length_)) squares += value * value;
    blocks_.push_back(std::sqrt(squares / static_cast<double>(length_ * runs.size())));
  }
}

double Apart::in(const Places& places) const {
  const std::size_t half = std::max<std::size_t>(length_ / 2, 1);
  if (blocks_.empty() || places.size() == 0) return 0;
  const std::size_t last = std::min((places.to - 1) / half, blocks_.size() - 1);
  return std::ranges::max(std::span(blocks_).first(last + 1).subspan(std::min(places.from / half, last)));
}

Places places_between(const Reference& reference, std::int64_t first, std::int64_t last) {
  const auto place = [&](std::int64_t step) {
    return static_cast<std::size_t>(std::ranges::upper_bound(reference.steps, step) - reference.steps.begin());
  };
  return {place(first), place(last)};
}

Places window_at(const Reference& reference, std::int64_t last) {
  // Steps start one stride before the first logged one: a run that logs every 10 steps first logs step 10.
  const double run = static_cast<double>(reference.steps.back() - reference.steps.front() + reference.stride);
  const auto length = std::max<std::int64_t>(1, std::llround(reference.accept.window * run));
  return places_between(reference, last - length, last);
}

Places window_before(const Places& window) { return {window.from - std::min(window.from, window.size()), window.from}; }

std::vector<double> levels_in(const Reference& reference, const Places& places) {
  std::vector<double> levels, values;
  for (const std::size_t run : reference.plain) {
    const auto part = std::span(reference.residuals[run]).subspan(places.from, places.size());
    values.assign(part.begin(), part.end());
    levels.push_back(trimmed_mean(values, reference.accept.trim));
  }
  return levels;
}

tl::expected<Reference, Problem> prepare_reference(const configs::Acceptance& accept, std::span<const Curve> curves,
                                                   const MetricRule& metric) {
  if (curves.empty()) return problem("no-reference", "there is no reference run", "run the reference at least once");
  Reference reference;
  reference.accept = accept;
  reference.metric = metric;
  for (const Curve& curve : curves)
    if (auto added = add_run(reference, curve); !added) return tl::unexpected(std::move(added.error()));
  if (reference.runs.empty()) {
    return problem("no-curve", fmt::format("no reference run logged \"{}\"", metric.name),
                   "check the metric's name and its format or pattern");
  }
  // What the others are compared with: one that was not moved, if there is any.
  std::ranges::stable_partition(reference.runs, [](const Track& run) { return run.perturbed.value_or(0) == 0; });
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

  reference.mean = values.front();
  reference.scale = scale_of(reference.mean, accept.absolute_tolerance / accept.target);
  reference.unit = printed_unit(reference.runs.front().values, reference.mean.front());
  sort_runs(reference, values);
  if (reference.plain.size() > 1) {
    reference.mean = mean_of_plain(reference, values);
    reference.scale = scale_of(reference.mean, accept.absolute_tolerance / accept.target);
  }
  if (*std::min_element(reference.scale.begin(), reference.scale.end()) <= 0) {
    return problem("all-zero",
                   fmt::format("the reference's {} is zero everywhere: nothing is relative to zero", metric.name),
                   "set an absolute tolerance under accept:, or judge another metric");
  }
  for (const auto& run : values) reference.residuals.push_back(differences(run, reference.mean, reference.scale));
  std::vector<std::vector<double>> moved;
  for (const std::size_t run : reference.moved) moved.push_back(reference.residuals[run]);
  reference.apart = Apart(moved);
  for (const Track& run : reference.runs)
    reference.non_finite = std::max(reference.non_finite, non_finite(reference.excused, run).count);
  reference.window = window_at(reference, reference.last_step());
  reference.cause = cause_of(reference);
  reference.level = level_spread(reference);
  reference.level.identical = static_cast<int>(merged);
  return reference;
}

}  // namespace bisectd::driver::judge
