// See healthy_spread.hpp.
#include "driver/judge/healthy_spread.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "driver/judge/difference.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/precision.hpp"

namespace bisectd::driver::judge {
namespace {

/// Runs whose first steps are further apart than this differ by more than rounding. Measured: parameters moved by 2.4e-7 put
/// steps 1 to 20 apart by 1e-7 to 5e-6; other data or dropout masks by 1e-2.
constexpr double kApartByRounding = 2e-5;
/// Of the run, looked at for that. Of references whose parameters were moved only the first point is: what rounding grows to
/// may be more by the third (PyTorch CNN of tests/bench: 4e-5 with one seed of six; PaddleSeg: 5e-3).
constexpr double kFirstPart = 0.01;
constexpr std::size_t kPlaces = 100;      ///< of the course
constexpr std::size_t kFewestPoints = 6;  ///< in a comparable part: runs of ten steps, as in examples/suite, must have one
constexpr double kShareFine = 0.4;        ///< of the target: limit of the bound in the comparable part
constexpr double kMoreToPass = 0.2;       ///< the limit is so much larger for float16, to acquit
constexpr std::array kMoreToFail = {0.45, 0.7};  ///< and to condemn
constexpr double kBound = 0.9;                   ///< confidence of that bound
/// A part is comparable if the spread kept below the limit for this share of it: the spread of few runs may fall by luck,
/// and a spike while the training warms up does not end the part for good.
constexpr double kQuietShare = 0.4;
constexpr double kNear =
    0.85;  ///< the largest spread from this share of a place on counts: few runs may agree there by luck
constexpr double kFloat32 = 0x1p-22, kFloat16 = 0x1p-10;  ///< relative sizes; also the perturbation's own
constexpr double kMuchCoarser = 16;
/// Digits: where fine runs of the twelve first steps stay within one, coarse ones are off by 7 (a convolutional net of
/// tests/bench that prints four decimals; without this its faults of 2 and 4 targets were undecided).
constexpr double kCoarserInPrint = 2;
constexpr double kSmallest = 0x1p-24;  ///< difference of a first step that float32 can show
/// A first step is one draw: its difference may be small by luck. One in four is below a third of the standard deviation.
constexpr double kLuck = 3;
/// Of the float16 size. Healthy devices that round at 5e-4 begin up to 1.6 of it apart, gelu +5 % 6 to 65, hard_swish +10 %
/// 5 to 21 (recogniser, five seeds).
constexpr double kBeyondRounding = 4, kUnseen = 0.5;

/// Steps after the first one that are looked at, and how many must be there. A device may round more coarsely in its
/// backward pass, which the first step does not show: of 20 devices of mixed sizes four lie at 0.5 by these steps and at 0.1
/// by the first. But a wrong backward operator looks the same, so only so much of that is granted. Measured on the
/// recogniser (200 steps, four seeds, two references each, bench_healthy), with 0, 0.2, 0.3 and 0.4 granted: 2, 1, 0 and 0
/// of 120 healthy judgements are fails, 69, 69, 69 and 68 of 80 faulty ones.
constexpr std::size_t kFurther = 12, kFewestFurther = 5;
constexpr double kGranted = 0.3;
/// Chance that few references agree so well by luck that their first steps are taken for those of a finer rounding.
constexpr double kFineByLuck = 0.01;

/// A perturbation is one kick, a device rounds at every step, in some operators always to the same side. Measured on devices
/// whose sizes spread over three decades up to 2e-3, a quarter of their operators biased: differences of up to three times
/// the spread that the perturbation predicts at the coarse end, of the predicted size at the fine one (bench_healthy).
/// Coarseness is read from few steps and may be read as far too low, so a level is condemned with all of the caution from
/// kGranted of it on: a device whose products round at 5e-4 was read as 0.4 and was off by 7.7 times the spread of that.
/// With caution in proportion it was condemned, the one of 180 healthy judgements of the recogniser until then; with this it
/// is not, and no fault is lost (healthy_devices.py --first-seed 40 --seeds 2).
constexpr double kCaution = 2;
/// Of the way from float32 to float16, by which a device may be read as too fine: 12 times in size. It counts where coarse
/// runs are far more than kCaution allows for apart and fine ones are not yet: what rounding grows to has no middle there. A
/// PyTorch net with dropout (healthy_devices.py --worlds mlp --steps 100 --first-seed 100) has fine runs 0.0001 % apart at
/// step 50, coarse ones 15 %; a healthy device that rounds at 1e-4 was read as 0.6, and is 5 % off.
constexpr double kMisread = 0.3;
/// Where rounding grows, that of fine and of coarse runs grows alike: the two are never more times apart than they began.
/// Where coarse runs grew so many times more, a run leaves the others all at once, when one operator rounds to the other
/// side of a threshold, and which device does so, and when, is chance. Of that net, seven seeds of 100 to 300 steps
/// (--first-seed 100, 111), 27 of 380 judgements of healthy devices were fails: their first steps were those of fine
/// devices, their later ones those of coarse runs. So from there on all that coarse runs do is granted to every device.
/// What they began with is read at one step, which may show the coarse ones by chance too far off; then the sizes that they
/// were moved by count. Ten times by the first step alone was too many: of 8,502 healthy curves of nine small nets, trained
/// at rates up to eleven times higher than is good for them, 38 were fails, 32 by this rule; of 1,700 faults of two targets
/// and more 11 are undecided for it.
constexpr double kFliesApart = 3;

/// Share of healthy devices that are off by as much as that caution allows for, in a probability: a fail is decided with all
/// of it. Of 90 healthy curves of the recogniser (--first-seed 200 --seeds 3) the differences are 0.99 spreads as a root
/// mean square, and none is beyond three; of 180 earlier ones one was. Where runs fly apart they are 5 of 20 (mlp, 150
/// steps, seed 301).
constexpr double kSeldom = 0.1, kSeldomApart = 0.3;

double misread(double coarseness) { return std::min(1.0, coarseness + kMisread); }

double mean_square(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::size_t first_part(const Reference& runs) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(kFirstPart * static_cast<double>(runs.steps.size())));
}

/// In this many of their first points.
bool begin_apart_by(const Reference& fine, double apart, std::size_t first) {
  const double printed = printed_unit(fine.runs.front().values, fine.mean.front()) / fine.scale.front();
  return std::ranges::all_of(fine.residuals, [&](const std::vector<double>& run) {
    return std::sqrt(mean_square(std::span(run).first(first))) <= std::max(apart, printed);
  });
}

/// The window that ends with this many points.
Places window_ending(const Reference& reference, std::size_t points) {
  const Places places = places_in(reference, {reference.steps.front() - reference.stride, reference.steps[points - 1]});
  const auto length = static_cast<std::size_t>(std::max(1.0, reference.accept.window * static_cast<double>(points)));
  return {places.to - std::min(places.to, length), places.to};
}

double level_squares(const Reference& fine, std::span<const Difference> coarse, const Places& places) {
  double sum = 0;
  std::size_t runs = 0;
  for (const Difference& run : coarse) {
    if (values_in(run, places).empty()) continue;
    sum += std::pow(level_in(fine, run, places), 2);
    ++runs;
  }
  return runs == 0 ? 0 : sum / static_cast<double>(runs);
}

/// How many times further apart than fine runs coarse ones are in the steps right after the first one, in three of four of
/// them: few steps on, coarse runs of some trainings fly apart.
double times_coarser_soon(const Reference& fine, std::span<const Difference> coarse, double printed) {
  std::vector<double> times;
  const double runs = fine.distinct();
  for (std::size_t place = 1; place < std::min(fine.steps.size(), kFurther); ++place) {
    double squares = 0;
    for (const auto& run : fine.residuals) squares += run[place] * run[place] / (runs - 1);
    const double apart = std::max({std::sqrt(squares), kSmallest, printed / 2});
    times.push_back(std::sqrt(level_squares(fine, coarse, {place, place + 1})) / apart);
  }
  return quantile(times, 0.25);
}

/// Where the digits of the log hide how far the fine runs begin apart, coarse ones still show in them soon after.
bool are_coarser_in_print(const Reference& fine, std::span<const Difference> coarse, double printed) {
  if (std::ranges::any_of(fine.residuals, [&](const auto& run) { return std::abs(run.front()) > printed; })) return false;
  std::vector<double> sizes;
  for (std::size_t place = 0; place < std::min(fine.steps.size(), kFurther); ++place)
    sizes.push_back(std::sqrt(level_squares(fine, coarse, {place, place + 1})));
  return quantile(sizes, 0.5) > kCoarserInPrint * std::max(kSmallest, printed);
}

}  // namespace

bool vary_by_themselves(const Reference& runs, const RoundingScale& rounding) {
  return runs.distinct() > 1 && !begin_apart_by(runs, std::max(kApartByRounding, rounding.coarse), first_part(runs));
}

bool RoundingScale::begins_beyond(const Difference& run) const {
  // Rounding of all that comes before the loss, or of the loss itself.
  const double most = std::max(kBeyondRounding * coarse, coarse_size);
  return !run.places.empty() && run.places.front() == 0 && std::abs(run.values.front()) > most;
}

double RoundingScale::coarseness_of(const Difference& run) const {
  if (run.places.empty() || run.places.front() != 0) return 1;
  if (begins_beyond(run)) return kUnseen;
  const double ratio = kLuck * (std::abs(run.values.front()) + printed) / fine;
  const double first = ratio <= 1 ? 0 : std::min(1.0, std::log(ratio) / std::log(coarse / fine));
  const double later = std::min(further_coarseness_of(run).value_or(0), kGranted);
  return std::max(first, later);
}

std::optional<double> RoundingScale::further_coarseness_of(const Difference& run) const {
  std::vector<double> seen;
  for (const Step& step : further) {
    const auto at = std::ranges::lower_bound(run.places, step.place);
    if (at == run.places.end() || *at != step.place) continue;
    const double off = std::abs(run.values[static_cast<std::size_t>(at - run.places.begin())]);
    seen.push_back(std::log(std::max(off, kSmallest) / step.fine) / std::log(step.coarse / step.fine));
  }
  if (seen.size() < kFewestFurther) return std::nullopt;
  return quantile(seen, 0.5);
}

double RoundingScale::size_at(double coarseness) const { return fine_size * std::pow(coarse_size / fine_size, coarseness); }

double Ensemble::spread_at(double coarseness) const { return fine * std::pow(coarse / fine, coarseness); }

double Ensemble::step_at(double coarseness) const { return fine_step * std::pow(coarse_step / fine_step, coarseness); }

double Ensemble::block_error_at(double fine_error, double coarseness) const {
  if (coarse_block_error <= fine_error || fine_error <= 0) return std::max(fine_error, coarse_block_error);
  return fine_error * std::pow(coarse_block_error / fine_error, flown_apart ? 1 : misread(coarseness));
}

double Ensemble::caution_at(double coarseness) { return 1 + kCaution * coarseness; }

double Ensemble::caution_of_level(const Difference& run) const {
  const double coarseness = rounding.coarseness_of(run);
  return caution_at(rounding.begins_beyond(run) ? coarseness : std::min(1.0, coarseness / kGranted));
}

bool Ensemble::begins_unlike_rounding(const Difference& run) const {
  if (rounding.begins_beyond(run)) return true;
  const double largest = std::sqrt(dof / boost::math::quantile(boost::math::chi_squared(dof), kFineByLuck));
  const double beyond = 1 + std::log(largest) / std::log(rounding.coarse_size / rounding.fine_size);
  return rounding.further_coarseness_of(run).value_or(0) > beyond;
}

double Ensemble::cautious_level(const Difference& run) const {
  const double coarseness = rounding.coarseness_of(run);
  if (flown_apart) return caution_at(1) * coarse;
  return std::max(caution_of_level(run) * spread_at(coarseness), spread_at(misread(coarseness)));
}

double Ensemble::seldom() const { return flown_apart ? kSeldomApart : kSeldom; }

double Ensemble::cautious_spread(double coarseness) const {
  if (flown_apart) coarseness = 1;
  return std::max(caution_at(coarseness) * spread_at(coarseness), spread_at(misread(coarseness)));
}

double Ensemble::cautious_step(double coarseness) const {
  if (flown_apart) coarseness = 1;
  return std::max(caution_at(coarseness) * step_at(coarseness), step_at(misread(coarseness)));
}

double Ensemble::coarseness_at(double spread) const {
  if (spread <= fine) return 0;
  return coarse > fine ? std::log(spread / fine) / std::log(coarse / fine) : 2;
}

std::optional<std::int64_t> HealthySpread::comparable_until(double target, double coarseness) const {
  return below(target, kShareFine + coarseness * kMoreToPass, coarseness);
}

std::vector<std::int64_t> HealthySpread::telling_until(double target, double coarseness) const {
  std::vector<std::int64_t> ends;
  const auto comparable = comparable_until(target, coarseness);
  for (const double more : kMoreToFail)
    if (const auto end = below(target, kShareFine + coarseness * more, coarseness); end > comparable)
      if (ends.empty() || *end > ends.back()) ends.push_back(*end);
  return ends;
}

std::optional<std::int64_t> HealthySpread::below(double target, double share, double coarseness) const {
  const double limit = target * share * std::sqrt(boost::math::quantile(boost::math::chi_squared(dof), 1 - kBound) / dof);
  std::optional<std::int64_t> until;
  std::size_t quiet_since = 0;
  for (std::size_t i = 0; i < course.size(); ++i) {
    const SpreadAt& place = course[i];
    if (Ensemble{place.fine, place.coarse, dof, rounding}.spread_at(coarseness) > limit) {
      quiet_since = i + 1;
      continue;
    }
    if (static_cast<double>(quiet_since) <= (1 - kQuietShare) * static_cast<double>(i)) until = place.step;
  }
  return until;
}

std::optional<SpreadAt> HealthySpread::at(std::int64_t step) const {
  const auto behind = std::ranges::upper_bound(course, step, {}, &SpreadAt::step);
  if (behind == course.begin()) return std::nullopt;
  SpreadAt largest = *std::prev(behind);
  const auto take = [&](const SpreadAt& place) {
    largest.fine = std::max(largest.fine, place.fine);
    largest.coarse = std::max(largest.coarse, place.coarse);
    largest.fine_step = std::max(largest.fine_step, place.fine_step);
    largest.coarse_step = std::max(largest.coarse_step, place.coarse_step);
  };
  const auto is_near = [&](const SpreadAt& place) {
    return static_cast<double>(place.step) >= kNear * static_cast<double>(step);
  };
  if (!is_near(largest) && behind != course.end()) take(*behind);
  for (const SpreadAt& place : std::ranges::subrange(course.begin(), behind))
    if (is_near(place)) take(place);
  largest.step = step;
  return largest;
}

std::optional<HealthySpread> healthy_spread(const Reference& fine, std::span<const Curve> coarse) {
  const std::size_t points = fine.steps.size();
  if (fine.distinct() < 2 || points < kFewestPoints ||
      !begin_apart_by(fine, kApartByRounding, fine.perturbed ? 1 : first_part(fine)))
    return std::nullopt;
  std::vector<Difference> differences;
  double first_coarse = 0;
  HealthySpread healthy;
  healthy.rounding = {.fine_size = kFloat32, .coarse_size = kFloat16};
  for (const Curve& curve : coarse) {
    Difference& run = differences.emplace_back(difference(fine, curve));
    if (run.values.empty()) {
      differences.pop_back();
      continue;
    }
    first_coarse += run.values.front() * run.values.front();
  }
  std::vector<double> firsts;
  firsts.reserve(fine.residuals.size());
  for (const auto& run : fine.residuals) firsts.push_back(run.front());
  const double runs = fine.distinct();
  const double printed = printed_unit(fine.runs.front().values, fine.mean.front()) / fine.scale.front();
  healthy.rounding.printed = printed;
  healthy.rounding.fine = std::max({std::sqrt(mean_square(firsts) * runs / (runs - 1)), kSmallest, printed / 2});
  healthy.rounding.coarse = differences.empty() ? 0 : std::sqrt(first_coarse / static_cast<double>(differences.size()));
  // What is off at the first step is proportional to the size of the rounding. Runs that are no coarser than the fine ones
  // were not perturbed by that much, unless their logs say so: then there are no coarse ones. Few digits, and a training in
  // float16, in which the finest perturbation flips roundings, let all runs begin alike.
  double times_coarser = 0;  // are coarse runs apart before training makes either grow
  if (const double least = kMuchCoarser * healthy.rounding.fine; healthy.rounding.coarse < least) {
    times_coarser = differences.empty() ? 0 : times_coarser_soon(fine, differences, printed);
    const bool said = !coarse.empty() && std::ranges::all_of(coarse, &Curve::moved_coarsely);
    if (said || times_coarser >= kMuchCoarser || are_coarser_in_print(fine, differences, printed)) {
      healthy.rounding.coarse = least;
    } else {
      healthy.rounding.coarse = healthy.rounding.fine * healthy.rounding.coarse_size / healthy.rounding.fine_size;
      differences.clear();
    }
  }
  times_coarser = std::min(std::max(times_coarser, healthy.rounding.coarse / healthy.rounding.fine),
                           healthy.rounding.coarse_size / healthy.rounding.fine_size);
  healthy.dof = runs - 1 + static_cast<double>(differences.size());
  healthy.coarse_seen = !differences.empty();
  for (std::size_t place = 1; place < std::min(points, kFurther); ++place) {
    RoundingScale::Step step{.place = place};
    for (const auto& run : fine.residuals) step.fine += run[place] * run[place] / (runs - 1);
    step.fine = std::max({std::sqrt(step.fine), kSmallest, printed / 2});
    step.coarse = step.fine * healthy.rounding.coarse_size / healthy.rounding.fine_size;
    if (!differences.empty()) step.coarse = std::sqrt(level_squares(fine, differences, {place, place + 1}));
    if (step.coarse > kMuchCoarser * step.fine) healthy.rounding.further.push_back(step);
  }

  double furthest = 0, fine_step = kSmallest, coarse_step = 0;
  std::size_t seen = 0;
  bool apart = false;
  for (std::size_t place = 1; place <= kPlaces; ++place) {
    const std::size_t until = std::max<std::size_t>(place * points / kPlaces, 1);
    if (until < kFewestPoints || (!healthy.course.empty() && healthy.course.back().step == fine.steps[until - 1])) continue;
    const Places window = window_ending(fine, until);
    const std::vector<double> levels = levels_in(fine, window);
    SpreadAt at{.step = fine.steps[until - 1], .fine = std::max(kSmallest, std::sqrt(spread_of(levels).last / (runs - 1)))};
    at.coarse = std::max(at.fine, std::sqrt(level_squares(fine, differences, window)));
    for (const auto& run : fine.residuals)
      for (const double value : std::span(run).subspan(seen, until - seen)) fine_step = std::max(fine_step, std::abs(value));
    for (const Difference& run : differences)
      for (const double value : values_in(run, {seen, until})) coarse_step = std::max(coarse_step, std::abs(value));
    seen = until;
    at.fine_step = fine_step;
    at.coarse_step = std::max(fine_step, coarse_step);
    apart |= at.coarse > kShareFine * fine.accept.target && at.coarse / at.fine > kFliesApart * times_coarser;
    at.flown_apart = apart;
    furthest = std::max(furthest, at.fine);
    healthy.course.push_back(at);
  }
  if (differences.empty())  // the most that the finest rounding grows to is where a coarser one is from the start
    for (SpreadAt& at : healthy.course) {
      at.coarse = furthest;
      at.coarse_step = fine_step;
    }
  return healthy;
}

}  // namespace bisectd::driver::judge
