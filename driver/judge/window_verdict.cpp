#include "driver/judge/window_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/grey_zone.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/window.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

constexpr double kFails = 8;      ///< errors from which a difference is real: 480 healthy curves reach 7.9 (design "wobble")
constexpr double kEven = 3.25;    ///< at which it is as likely real as not (5,200 judgements of judged_devices.py)
constexpr double kMoved = 5;      ///< times what moved runs are apart that no device explains: healthy ones reach 3.1
constexpr double kBlind = 10;     ///< times as much where a window does not show its error (a log without batch noise)
constexpr double kExplained = 2;  ///< times that, up to which they explain it
constexpr double kLeast = 0.25;   ///< of the target: what counts as nothing
/// Errors that a difference needs where the other side may have seen other masks, or where a window is short.
constexpr double kSteady = 4;
/// A unit of bfloat16: more no arithmetic is off by in the first steps; healthy devices reach 0.11 % there.
constexpr double kArithmetic = 0x1p-8;
constexpr double kPrecise = 0.4;  ///< of the target: an error that a pass may have
constexpr double kSpeaks = 2;     ///< errors beyond the target by which the rest of a run speaks against a pass
/// Times what 8 values were off by that rounding hardly grows to in the next 8: of faults that begin at half of the run 149
/// of 168 do (`worlds`, logs of every step to every tenth), of healthy devices 41 of 1,404, where batches make noise.
constexpr double kBegins = 20;

/// A window with what it says.
struct Seen {
  WindowLevel level;
  double size = 0;       ///< of the difference, to the worse side if only that counts
  double error = 0;      ///< of the window and of the runs' own spread
  double score = 0;      ///< how surely the difference is real: beyond kFails it is
  double uncertain = 0;  ///< what the size is uncertain by, by the witness of the score
  bool real() const { return score > kFails; }
};

std::vector<Seen> look(const Reference& reference, const Difference& difference, Batches batches, double own_spread,
                       const configs::Acceptance& accept) {
  std::vector<Seen> all;
  for (const WindowLevel& level : window_levels(reference, difference, batches)) {
    Seen& seen = all.emplace_back(Seen{.level = level, .size = badness(reference, level.mean)});
    seen.error = std::max(level.error, own_spread);
    seen.uncertain = seen.error;
    const double size = std::max(seen.size, 0.0);
    seen.score = (size - kLeast * accept.target) / seen.error;
    if (!level.shows_error || level.is_short) seen.score = std::min(seen.score, std::max(kEven, seen.score / kBlind));
    if (level.apart > 0) {
      const double ratio = size / level.apart;
      if (ratio < kExplained) seen.score = std::min(seen.score, kEven);
      if (batches == Batches::same || size > kSteady * seen.error)
        seen.score = std::max(seen.score, kFails * ratio / kMoved);
    }
    const bool beginning = reference.steps[difference.places[level.to - 1]] <= kFirstSteps;
    const bool beyond_arithmetic = beginning &&
                                   size > std::max({kArithmetic, kMoved * level.apart, kSteady * level.printed}) &&
                                   (batches == Batches::same || size > kSteady * seen.error);
    if (beyond_arithmetic) {
      seen.score = 2 * kFails;
      seen.uncertain = std::max(own_spread, std::min(level.error, std::max(kArithmetic, level.apart)));
    } else if (level.is_short) {
      if (level.apart > 0 && level.shows_error && seen.score > kFails && size > kSteady * seen.error)
        seen.score = 2 * kFails;
      else all.pop_back();
    }
  }
  return all;
}

/// How likely a difference is real, from its score: of judged devices whose score is low, since nothing is known of them,
/// one in seven is bad, and the odds grow with the fourth power (tests/bench/judged_devices.py, 5,200 judgements).
double probability_real(double score) {
  constexpr double kUnknown = 1.0 / 6, kSteepness = 4;
  const double odds = kUnknown + (1 - kUnknown) * std::pow(std::max(score, 0.0) / kEven, kSteepness);
  return odds / (1 + odds);
}

/// That the end is beyond the target, if the difference is real.
double probability_beyond(const Seen& seen, double target) {
  constexpr double kDegrees = 8;  // the fewest independent values of a window that shows its error
  return judge::probability_beyond(target, seen.size, {seen.error, kDegrees}, true);
}

/// What becomes of the windows of one run.
struct Ruling {
  Verdict verdict = Verdict::inconclusive;
  const Seen* rests_on = nullptr;
  const Seen* end = nullptr;         ///< the window that says most of the end; none where there is none
  const Seen* on_the_way = nullptr;  ///< surely beyond the target, though the end passes
  std::optional<std::int64_t> until;
};

/// Whether something begins behind value `from`: too suddenly for rounding, and beyond what moved runs explain.
bool begins_behind(std::size_t from, const Reference& reference, const Difference& difference, double target) {
  constexpr std::size_t kStretch = 8;
  const auto values = std::span(difference.values);
  for (std::size_t at = std::max(from, 2 * kStretch) - kStretch; at + kStretch <= values.size(); ++at) {
    const auto places = std::span(difference.places).subspan(at, kStretch);
    // What printed digits hide is not known to be small.
    const double printed = reference.unit / reference.scale[places.front()] / 4;
    const double before = std::max(rms(values.subspan(at - kStretch, kStretch)), printed);
    const double apart = reference.apart.in({places.front(), places.back() + 1});
    if (rms(values.subspan(at, kStretch)) > std::max({target, kBegins * before, kExplained * apart})) return true;
  }
  return false;
}

Ruling rule(const Reference& reference, const Difference& difference, std::span<const Seen> all,
            const configs::Acceptance& accept) {
  const double target = accept.target;
  const std::size_t seen_until = difference.places.back() + 1;  // of a run that goes on: so far
  const auto is_late = [&](std::size_t place) { return difference.places[place] + 1 >= seen_until - seen_until / 3; };
  // A long window by its middle: it would else tell more of what was before. A pass rests on one that ends there, however
  // long.
  const auto at_end = [&](const Seen& seen) {
    const auto [from, to] = std::pair(seen.level.from, seen.level.to);
    return is_late(to - from > kShortest ? (from + to) / 2 : to - 1);
  };
  const Seen *beyond = nullptr, *earlier = nullptr, *precise = nullptr, *end = nullptr, *likeliest = nullptr;
  for (const Seen& seen : all) {
    const bool real = seen.real() && seen.size - seen.uncertain > target;
    const Seen*& most = at_end(seen) ? beyond : earlier;
    const bool later = at_end(seen) && most && seen.level.to > most->level.to;  // what it came to, not the most it was
    if (real && (!most || later || seen.score > most->score)) most = &seen;
    if (!seen.level.is_short && seen.error <= kPrecise * target &&
        (!precise || seen.level.to > precise->level.to || seen.error < precise->error))
      precise = &seen;
    if (!seen.level.is_short && at_end(seen) && (!end || seen.error < end->error)) end = &seen;
    if (!likeliest || seen.score > likeliest->score) likeliest = &seen;
  }
  if (beyond) return {Verdict::fail, beyond, end, nullptr, {}};
  if (earlier && accept.whole) return {Verdict::fail, earlier, end, nullptr, {}};
  const bool within = precise && precise->size <= target && precise->size + 2 * precise->error <= accept.grey * target;
  if (within && is_late(precise->level.to - 1)) return {Verdict::pass, precise, end, earlier, {}};
  // What was off on the way may have healed: only where the end does not look so, it counts.
  if (earlier && end && end->size > target) return {Verdict::fail, earlier, end, nullptr, {}};
  if (within && !begins_behind(precise->level.to, reference, difference, target)) {
    const auto speaks = [&](const Seen& seen) {
      const bool explained = seen.size < kExplained * seen.level.apart;
      return seen.level.to > precise->level.to && !explained && seen.size - kSpeaks * seen.error > target;
    };
    if (std::ranges::none_of(all, speaks))
      return {Verdict::pass, precise, end, nullptr, reference.steps[difference.places[precise->level.to - 1]]};
  }
  return {Verdict::inconclusive, likeliest, end, nullptr, {}};
}

/// What bounds the difference of a window beside its own error.
std::string bounds_of(const Seen& seen) {
  if (seen.level.apart > 0)
    return fmt::format("; runs moved by more than any rounding are {:.2g} % apart there", 100 * seen.level.apart);
  if (seen.uncertain < seen.error)
    return fmt::format("; so early no arithmetic is off by more than {:.2g} %", 100 * kArithmetic);
  return "";
}

Steps steps_of(const Reference& reference, const Difference& difference, const WindowLevel& level) {
  return {reference.steps[difference.places[level.from]], reference.steps[difference.places[level.to - 1]]};
}

/// What would have failed in the window that a pass rests on.
double detectable_in(const Seen& seen, const configs::Acceptance& accept) {
  double by_error = kLeast * accept.target + kFails * seen.error;
  if (seen.level.apart > 0)
    by_error = std::min(std::max(by_error, kExplained * seen.level.apart), kMoved * seen.level.apart);
  return std::max(accept.target + seen.error, by_error);
}

}  // namespace

std::string describe(const Reference& reference, const Judgement& judgement, const std::string& beside) {
  const double delta = *judgement.delta;
  std::string text = fmt::format("{} is {:.3g} % {} the reference", reference.metric.name, 100 * std::abs(delta),
                                 delta < 0 ? "below" : "above");
  if (judgement.window) text += fmt::format(" in steps {} to {}", judgement.window->first, judgement.window->last);
  if (judgement.standard_error) text += fmt::format(", give or take {:.2g} %", 100 * *judgement.standard_error);
  return text + beside + fmt::format(" (target {:.3g} %)", 100 * reference.accept.target);
}

StandardError own_error(const Reference& reference, const Spread& known, int runs) {
  return standard_error(variance_of(known), reference.distinct(), runs, 0);
}

Judgement judge_by_windows(const Reference& reference, const Difference& difference, Batches batches, const NoisePool& pool,
                           const configs::Acceptance& accept, int runs) {
  const Spread known = known_spread(reference, pool);
  const double own = known.dof > 0 ? own_error(reference, known, runs).value : 0;
  const std::vector<Seen> all = look(reference, difference, batches, own, accept);
  Judgement judgement;
  judgement.metric = reference.metric.name;
  if (all.empty()) {
    judgement.verdict = Verdict::inconclusive;
    judgement.delta = difference.values.empty() ? std::nullopt : std::optional(mean_of(difference.values));
    judgement.text =
        fmt::format("{} has {} values, too few to tell a level", reference.metric.name, difference.values.size());
    return judgement;
  }
  Ruling ruling = rule(reference, difference, all, accept);
  const Seen& seen = *ruling.rests_on;
  judgement.delta = seen.level.mean;
  judgement.standard_error = ruling.verdict == Verdict::fail ? seen.uncertain : seen.error;
  judgement.window = steps_of(reference, difference, seen.level);
  judgement.detectable = detectable_in(seen, accept);
  double most = 0;
  for (const Seen& one : all)
    if (one.size > accept.target) most = std::max(most, one.score);
  const double at_end = ruling.end ? probability_beyond(*ruling.end, accept.target) : 0.5;
  const bool to_the_end = ruling.verdict == Verdict::pass && !ruling.until;
  judgement.p_bad = ruling.verdict == Verdict::fail ? probability_real(most)
                    : to_the_end                    ? probability_real(most) * probability_beyond(seen, accept.target)
                                                    : probability_real(most) * at_end;
  if (ruling.until && judgement.p_bad > 0.5) {  // what is behind that step is likelier bad
    ruling.until.reset();
    ruling.verdict = Verdict::inconclusive;
  }
  judgement.verdict = ruling.verdict;
  judgement.comparable_until = ruling.until;
  judgement.text = describe(reference, judgement, bounds_of(seen));
  if (ruling.verdict == Verdict::inconclusive)
    judgement.text +=
        fmt::format("; the noise hides the answer, which leans to {}", judgement.p_bad > 0.5 ? "fail" : "pass");
  if (ruling.until)
    judgement.text += fmt::format("; it agrees up to step {}, and behind that this log cannot tell", *ruling.until);
  if (ruling.on_the_way) {
    const Steps there = steps_of(reference, difference, ruling.on_the_way->level);
    judgement.notes.push_back(fmt::format("it was off by {:+.2g} % in steps {} to {}, but ends within the target",
                                          100 * ruling.on_the_way->level.mean, there.first, there.last));
  } else if (ruling.verdict == Verdict::pass && seen.real()) {
    judgement.notes.push_back("the difference is real, and within the target");
  }
  return judgement;
}

}  // namespace bisectd::driver::judge
