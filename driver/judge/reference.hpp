// The trusted side, prepared once: on common steps, averaged, with how far its runs are apart. Judges nothing.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/align.hpp"
#include "driver/judge/noise.hpp"

namespace bisectd::driver::judge {

/// Names of series that are watched beside the metric; see watched.hpp.
inline constexpr const char* kLossScale = "loss_scale";
inline constexpr const char* kGradNorm = "grad_norm";

/// Which series is judged.
struct MetricRule {
  std::string name;
  bool higher_is_better = false;  ///< a score; else a loss
};

/// Those of an experiment that are judged, in order; the others are only watched.
std::vector<MetricRule> judged_metrics(std::span<const configs::Metric> metrics);

/// Places [from, to) of a grid of steps.
struct Places {
  std::size_t from = 0, to = 0;
  std::size_t size() const { return to - from; }
};

/// How far rounding puts runs of this training apart, from runs whose initial parameters were moved by a thousandth, which
/// is coarser than any device rounds.
class Apart {
 public:
  Apart() = default;
  /// `runs`: relative differences of each of them to the runs as they are, one value for each place of the grid.
  explicit Apart(std::span<const std::vector<double>> runs);

  bool known() const { return !blocks_.empty(); }
  /// Root mean square of a run over a block of steps: the largest of the blocks that begin among these places, as a
  /// fraction. 0 where it is not known.
  double in(const Places& places) const;

 private:
  std::size_t length_ = 0;      ///< places of a block; one begins every half block
  std::vector<double> blocks_;  ///< by their number
};

/// Why runs of the reference differ, as far as they do.
enum class Cause {
  unknown,   ///< nothing shows it: there is one run, or all are equal
  rounding,  ///< they begin alike and drift apart
  chance,    ///< they differ from the start: other masks, another order of the data, another seed
};

/// All references of one metric. Vectors of one entry per grid step belong to `steps`; every value in them is finite.
struct Reference {
  configs::Acceptance accept;
  MetricRule metric;
  std::size_t given = 0;                        ///< usable runs, bit-identical ones counted each
  std::size_t diverged = 0;                     ///< runs that hold NaN or infinity for more than a few steps
  std::size_t non_finite = 0;                   ///< most steps of one run that are NaN or infinite, `excused` ones aside
  std::optional<Smoothing> smoothing;           ///< where it is known
  std::map<std::string, std::size_t> left_out;  ///< runs that are no part of it, by why: "ended early"
  std::size_t resumed = 0;                      ///< runs that went on from a checkpoint: the last value of a step counts

  std::vector<std::int64_t> steps;             ///< the grid: steps where every run has a finite value
  std::int64_t stride = 1;                     ///< median distance of the grid
  std::vector<double> mean, scale;             ///< of the runs that were not moved; scale > 0
  std::vector<Track> runs;                     ///< the distinct runs, as logged, up to the last common step
  std::vector<std::vector<double>> residuals;  ///< per distinct run: relative difference to the mean
  std::vector<std::int64_t> excused;           ///< steps where no run is finite: no evidence against a candidate either
  double unit = 0;                             ///< of the last printed digit, as the loss is; 0: printed in full

  Cause cause = Cause::unknown;    ///< of the runs that were not moved
  std::vector<std::size_t> plain;  ///< places in `runs`: those that were not moved, or by nothing that shows
  std::vector<std::size_t> moved;  ///< those whose initial parameters were moved by so much that it shows
  std::size_t lost = 0;            ///< runs that were started with a perturbation which does not show in their first steps
  Apart apart;                     ///< by `moved`
  bool subject_varies = false;     ///< its repeats differ by chance, and these runs do not: they alone tell the noise

  Places window;                                      ///< the final window of a whole run
  Spread level;                                       ///< of the levels of `plain`
  std::map<std::string, std::vector<Track>> watched;  ///< per watched series: the runs that logged it

  /// Runs whose mean is what others are compared with, as far as noise goes: beside a subject that varies by itself, moved
  /// ones are as quiet as the others.
  int distinct() const { return static_cast<int>(subject_varies ? runs.size() : plain.size()); }
  std::int64_t last_step() const { return steps.back(); }
};

/// Whether repeats differ by chance, so that they decide together.
inline bool by_chance(const Reference& reference) { return reference.cause == Cause::chance || reference.subject_varies; }

/// Why a reference is refused, and what to do.
std::string unusable_text(const Problem& problem);

/// Aligns, drops broken runs (while three are left), counts bit-identical runs once. Problems: no-reference, no-curve,
/// bad-steps, no-common-steps, not-finite, all-zero, steps-begin-again.
tl::expected<Reference, Problem> prepare_reference(const configs::Acceptance& accept, std::span<const Curve> runs,
                                                   const MetricRule& metric);

/// What is known of one run's noise: the spread of runs that were not moved, unless the subject varies by itself, and the
/// pool's.
Spread known_spread(const Reference& reference, const NoisePool& pool);

/// The final window of a run that ends at `last`: `accept.window` of the whole run, before `last`.
Places window_at(const Reference& reference, std::int64_t last);

/// The stretch of the same length right before.
Places window_before(const Places& window);

/// The places whose steps lie in (first, last].
Places places_between(const Reference& reference, std::int64_t first, std::int64_t last);

/// Level (trimmed mean) of each run that was not moved, there. Not empty.
std::vector<double> levels_in(const Reference& reference, const Places& places);

/// What two runs of one training saw, values on the same steps.
enum class Batches {
  same,    ///< the same in the same order: their first values agree, or they move alike from step to step
  alike,   ///< perhaps the same, on a device that computes wrongly; perhaps other dropout masks
  others,  ///< others, or another order
};
Batches batches_of(std::span<const double> one, std::span<const double> other);

}  // namespace bisectd::driver::judge
