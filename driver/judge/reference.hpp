// The trusted side, prepared once: on common steps, averaged, with its noise floor. Judges nothing.
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

struct Difference;

/// Names of series that are watched beside the metric; see events.hpp.
inline constexpr const char* kLossScale = "loss_scale";
inline constexpr const char* kGradNorm = "grad_norm";

/// Which series is judged.
struct MetricRule {
  std::string name;
  bool higher_is_better = false;  ///< a score; else a loss
};

/// Those of an experiment that are judged, in order; the others are only watched.
std::vector<MetricRule> judged_metrics(std::span<const configs::Metric> metrics);

/// A stretch of steps: first < step <= last.
struct Window {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// What the references do themselves: an event rule asks for clearly more than this.
struct NoiseFloor {
  double step_noise = 0;            ///< standard deviation of one run at one step, robust; 0 with one distinct run
  std::vector<double> block_noise;  ///< the same in each twentieth of the run
  double block_error = 0;           ///< worst mean error over the blocks of a run
  StandardError fresh_block_error;  ///< of a further run about their mean, if runs keep an offset; 0 with one run
  std::size_t spikes = 0;           ///< most steps of one run beyond the spike limit
  std::size_t non_finite = 0;       ///< most steps of one run, not excused, that are NaN or infinite
};

/// By how much the first logged steps of a healthy run are off: root mean square for a device that rounds like float32 and
/// for one that rounds like float16. Nothing was trained yet, or little, so this shows the rounding itself: that of the
/// forward pass at the first step, that of the backward pass from the second one on.
struct RoundingScale {
  struct Step {
    std::size_t place = 0;  ///< on the grid
    double fine = 0, coarse = 0;
  };
  double fine = 0, coarse = 0;  ///< of the first step, fractions; 0 < fine < coarse
  std::vector<Step> further;    ///< where coarse is much more than fine
  double printed = 0;           ///< what is less does not show in the log: a digit of the first value, as a fraction
  double fine_size = 0, coarse_size = 0;  ///< relative size of the rounding that they stand for

  /// Where a run lies, by how far its first steps are off: 0 like float32 or finer .. 1 like float16 or coarser, or unknown.
  double coarseness_of(const Difference& run) const;
  /// The first step is off by more than any rounding: another cause moves it, and how the device rounds beside that cannot
  /// be seen.
  bool begins_beyond(const Difference& run) const;
  /// By the steps after the first one, from the middle one of them; nothing where too few are there.
  std::optional<double> further_coarseness_of(const Difference& run) const;
  /// The size of rounding that a coarseness stands for.
  double size_at(double coarseness) const;
};

/// How far healthy devices are apart in the final window of a reference: standard deviation of a level, as a fraction.
struct Ensemble {
  double fine = 0, coarse = 0;
  double dof = 0;
  RoundingScale rounding;
  double fine_step = 0, coarse_step = 0;  ///< the most that a run of each was off at one step up to here, as a fraction
  double coarse_block_error = 0;          ///< NoiseFloor::block_error of the coarse runs
  bool coarse_seen = false;               ///< there were coarse runs; else `coarse` is the most that fine ones grow to
  bool flown_apart = false;               ///< coarse runs grew far more than fine ones: any device may be as they are

  double spread_at(double coarseness) const;  ///< between fine and coarse, linear in the logarithms
  double step_at(double coarseness) const;    ///< the same of single steps
  /// The same of block errors, up to `misread` coarseness; `fine_error` is that of the fine runs.
  double block_error_at(double fine_error, double coarseness) const;
  static double caution_at(double coarseness);  ///< by what the spread is multiplied before a run is condemned
  double coarseness_at(double spread) const;    ///< inverse of spread_at; above 1: no device is so far apart
  /// The same as caution_at for the level of this run, whose coarseness may be read as too low.
  double caution_of_level(const Difference& run) const;
  /// The first steps are further off than any rounding puts them, up to float16.
  bool begins_unlike_rounding(const Difference& run) const;
  /// How far a healthy run may be apart before it is condemned: at least the spread times that caution.
  double cautious_level(const Difference& run) const;
  double cautious_spread(double coarseness) const;  ///< the same of what is no level
  double cautious_step(double coarseness) const;    ///< of single steps
  double seldom() const;                            ///< share of healthy devices that are as far apart as cautious_level
};

/// What a healthy run of a subject that varies by itself may be off by chance. Fractions.
struct OwnNoise {
  double step = 0;   ///< standard deviation at one step
  double level = 0;  ///< bound of a level, as wide as few repeats leave it
};

/// All references of one metric. Vectors of one entry per grid step belong to `steps`; every value in them is finite.
struct Reference {
  configs::Acceptance accept;
  MetricRule metric;
  std::size_t given = 0;     ///< usable runs, bit-identical ones counted each
  bool shortened = false;    ///< looks at a part of the runs only, for a learnt horizon
  std::size_t diverged = 0;  ///< runs that hold NaN or infinity for more than a few steps: what is healthy may diverge
  std::optional<Smoothing> smoothing;           ///< where it is known
  std::optional<std::int64_t> unstable_from;    ///< see non_finite.hpp
  std::map<std::string, std::size_t> left_out;  ///< runs that are no part of it, by why: "ended early"
  std::size_t resumed = 0;                      ///< runs that went on from a checkpoint: the last value of a step counts

  std::vector<std::int64_t> steps;             ///< the grid: steps where every run has a finite value
  std::int64_t stride = 1;                     ///< median distance of the grid
  std::vector<double> mean, scale;             ///< of the runs; scale > 0
  std::vector<Track> runs;                     ///< the distinct runs, as logged, up to the last common step
  std::vector<std::vector<double>> residuals;  ///< per distinct run: relative difference to the mean
  std::vector<std::int64_t> excused;           ///< steps where no run is finite: no evidence against a candidate either

  NoiseFloor noise_floor;

  Window window;                     ///< the final window of a whole run
  Spread level;                      ///< of the runs' levels
  bool perturbed = false;            ///< runs differ because their parameters were moved, not by chance
  bool coarsely = false;             ///< some of them by as much as float16 rounds
  std::optional<OwnNoise> subject;   ///< it varies by itself, far more than these runs: its repeats alone tell the noise
  std::optional<Ensemble> ensemble;  ///< where the window is judged by the spread of healthy devices
  std::map<std::string, std::vector<Track>> watched;  ///< per watched series: the runs that logged it

  int distinct() const { return static_cast<int>(runs.size()); }
  std::int64_t last_step() const { return steps.back(); }
};

/// Why a reference is refused, and what to do.
std::string unusable_text(const Problem& problem);

/// Aligns, drops broken runs (while three are left), counts bit-identical runs once. `until`: the last step to look at,
/// for a shortened horizon. Problems: no-reference, no-curve, bad-steps, no-common-steps, not-finite, all-zero.
tl::expected<Reference, Problem> prepare_reference(const configs::Acceptance& accept, std::span<const Curve> runs,
                                                   const MetricRule& metric,
                                                   std::optional<std::int64_t> until = std::nullopt);

/// What is known of one run's noise: the references' spread, unless the subject varies by itself, and the pool's.
Spread known_spread(const Reference& reference, const NoisePool& pool);

/// The stretch of the window's length that ends at `last`.
Window window_at(const Reference& reference, std::int64_t last);

/// The stretch of the same length right before.
inline Window window_before(const Window& window) { return {2 * window.first - window.last, window.first}; }

/// Places [from, to) of the grid that lie in the window.
struct Places {
  std::size_t from = 0, to = 0;
  std::size_t size() const { return to - from; }
};
Places places_in(const Reference& reference, const Window& window);

/// Level (trimmed mean) of each distinct run's residuals there. Not empty.
std::vector<double> levels_in(const Reference& reference, const Places& places);

}  // namespace bisectd::driver::judge
