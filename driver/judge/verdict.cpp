// See verdict.hpp. docs/verdicts.md derives it.
#include "driver/judge/verdict.hpp"

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
constexpr double kQuiet = 5;      ///< and up to which it does not stand in the way of a pass
constexpr double kMoved = 5;      ///< times what moved runs are apart that no device explains: healthy ones reach 3.1
constexpr double kBlind = 10;     ///< times as much where a window does not show its error (a log without batch noise)
constexpr double kExplained = 2;  ///< times that, up to which they explain it
constexpr double kLeast = 0.25, kWorthALook = 0.5;  ///< of the target: what counts as nothing, what is asked at all
/// Errors that a difference needs where the other side may have seen other masks, or where a window is short.
constexpr double kSteady = 4;
/// A unit of bfloat16: more no arithmetic is off by in the first steps; healthy devices reach 0.11 % there.
constexpr double kArithmetic = 0x1p-8;
constexpr double kPrecise = 0.4;  ///< of the target: an error that a pass may have
constexpr double kSpeaks = 2;     ///< errors beyond the target by which the rest of a run speaks against a pass

/// A window with what it says.
struct Seen {
  WindowLevel level;
  double size = 0;       ///< of the difference, to the worse side if only that counts
  double error = 0;      ///< of the window and of the runs' own spread
  double score = 0;      ///< how surely the difference is real: beyond kFails it is
  double uncertain = 0;  ///< what the size is uncertain by, by the witness of the score
  bool real(double target) const { return score > kFails && size > kWorthALook * target; }
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
    const double undecided = (kFails + kQuiet) / 2;  // may forbid a pass, not condemn
    if (!level.shows_error || level.is_short) seen.score = std::min(seen.score, std::max(undecided, seen.score / kBlind));
    if (level.apart > 0) {
      const double ratio = size / std::max(level.apart, 1e-4);
      if (ratio < kExplained) seen.score = std::min(seen.score, undecided);
      if (batches == Batches::same || size > kSteady * seen.error)
        seen.score = std::max(seen.score, kFails * ratio / kMoved);
    }
    const bool beginning = reference.steps[difference.places[level.to - 1]] <= kFirstSteps;
    const bool beyond_arithmetic = beginning && size > std::max(kArithmetic, kMoved * level.apart) &&
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
/// one in seven is bad; odds are even at 3.4 and grow with the fourth power (tests/bench/judged_devices.py, 5,200
/// judgements).
double probability_real(double score) {
  constexpr double kUnknown = 1.0 / 6, kEven = 3.4, kSteepness = 4;
  const double odds = kUnknown + std::pow(std::max(score, 0.0) / kEven, kSteepness);
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

Ruling rule(const Reference& reference, const Difference& difference, std::span<const Seen> all,
            const configs::Acceptance& accept) {
  const double target = accept.target;
  const std::size_t seen_until = difference.places.back() + 1;  // of a run that goes on: so far
  const auto at_end = [&](const Seen& seen) {
    return difference.places[seen.level.to - 1] + 1 >= seen_until - seen_until / 3;
  };
  const Seen *beyond = nullptr, *earlier = nullptr, *precise = nullptr, *end = nullptr, *likeliest = nullptr;
  bool quiet = true;
  for (const Seen& seen : all) {
    const bool real = seen.real(target) && seen.size - seen.uncertain > target;
    const Seen*& most = at_end(seen) ? beyond : earlier;
    const bool later = at_end(seen) && most && seen.level.to > most->level.to;  // what it came to, not the most it was
    if (real && (!most || later || seen.score > most->score)) most = &seen;
    if (at_end(seen) && seen.size > target && seen.score > kQuiet) quiet = false;
    if (!seen.level.is_short && seen.error <= kPrecise * target &&
        (!precise || seen.level.to > precise->level.to || seen.error < precise->error))
      precise = &seen;
    if (!seen.level.is_short && at_end(seen) && (!end || seen.error < end->error)) end = &seen;
    if (!likeliest || seen.score > likeliest->score) likeliest = &seen;
  }
  if (beyond) return {Verdict::fail, beyond, end, nullptr, {}};
  if (earlier && accept.whole) return {Verdict::fail, earlier, end, nullptr, {}};
  const bool within = precise && precise->size <= target && precise->size + 2 * precise->error <= accept.grey * target;
  if (within && quiet && at_end(*precise)) return {Verdict::pass, precise, end, earlier, {}};
  // What was off on the way may have healed: only where the end does not look so, it counts.
  if (earlier && end && end->size > target) return {Verdict::fail, earlier, end, nullptr, {}};
  if (within && quiet) {
    const auto speaks = [&](const Seen& seen) {
      const bool explained = seen.size < kExplained * seen.level.apart;
      return seen.level.to > precise->level.to && !explained && seen.size - kSpeaks * seen.error > target;
    };
    if (std::ranges::none_of(all, speaks))
      return {Verdict::pass, precise, end, nullptr, reference.steps[difference.places[precise->level.to - 1]]};
  }
  return {Verdict::inconclusive, likeliest, end, nullptr, {}};
}

std::string describe(const Reference& reference, const Judgement& judgement, const Seen* seen) {
  const double delta = *judgement.delta;
  std::string text = fmt::format("{} is {:.3g} % {} the reference", reference.metric.name, 100 * std::abs(delta),
                                 delta < 0 ? "below" : "above");
  if (judgement.window) text += fmt::format(" in steps {} to {}", judgement.window->first, judgement.window->last);
  if (judgement.standard_error) text += fmt::format(", give or take {:.2g} %", 100 * *judgement.standard_error);
  if (seen && seen->level.apart > 0)
    text += fmt::format("; runs moved by more than any rounding are {:.2g} % apart there", 100 * seen->level.apart);
  else if (seen && seen->uncertain < seen->error)
    text += fmt::format("; so early no arithmetic is off by more than {:.2g} %", 100 * kArithmetic);
  return text + fmt::format(" (target {:.3g} %)", 100 * reference.accept.target);
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

/// Step from which blocks of a twentieth stay beyond the target on the side of `delta`, up to the end.
std::optional<std::int64_t> first_bad_step(const Reference& reference, const Difference& difference, double delta) {
  constexpr std::size_t kBlocks = 20;
  const std::size_t points = reference.steps.size();
  std::optional<std::int64_t> step;
  for (std::size_t b = std::min(kBlocks, points), blocks = b; b-- > 0;) {
    const Places places{b * points / blocks, (b + 1) * points / blocks};
    const auto values = values_in(difference, places);
    if (values.empty()) continue;
    if (std::copysign(1.0, delta) * mean_of(values) <= reference.accept.target) break;
    step = reference.steps[places.from];
  }
  return step;
}

/// The mean of several attempts at each step where all have a value: what they share remains.
Difference mean_difference(std::span<const Attempt> attempts) {
  if (attempts.size() == 1) return attempts.front().difference;
  std::map<std::size_t, std::pair<double, std::size_t>> sums;
  for (const Attempt& attempt : attempts)
    for (std::size_t i = 0; i < attempt.difference.values.size(); ++i) {
      auto& [sum, count] = sums[attempt.difference.places[i]];
      sum += attempt.difference.values[i];
      ++count;
    }
  Difference result{.track = attempts.front().difference.track, .places = {}, .values = {}};
  for (const auto& [place, sum] : sums) {
    if (sum.second < attempts.size()) continue;
    result.places.push_back(place);
    result.values.push_back(sum.first / static_cast<double>(sum.second));
  }
  return result;
}

/// What repeats of one side show of a level of `runs` attempts.
StandardError own_error(const Reference& reference, const Spread& known, int runs) {
  return standard_error(variance_of(known), reference.distinct(), runs, 0);
}

/// Runs that differ by chance: the level of the final window, by the spread of repeats.
Judgement judge_by_repeats(const Reference& reference, std::span<const Attempt> attempts, const Spread& known,
                           const configs::Acceptance& accept, bool last_look) {
  Judgement judgement;
  judgement.delta = 0;
  for (const Attempt& attempt : attempts)
    *judgement.delta += level_in(reference, attempt.difference, attempt.window) / static_cast<double>(attempts.size());
  const Comparison comparison{.size = badness(reference, *judgement.delta),
                              .error = own_error(reference, known, static_cast<int>(attempts.size())),
                              .last_look = last_look};
  judgement.verdict = decide(accept, comparison);
  if (known.dof == 0) {  // one run, of a kind that differs from the next
    judgement.text = describe(reference, judgement, nullptr) + "; nothing was repeated yet, so the noise is not known";
    return judgement;
  }
  judgement.p_bad = probability_beyond(accept.target, comparison.size, comparison.error, accept.worse_only);
  judgement.standard_error = comparison.error.value;
  judgement.detectable = detectable(accept, comparison);
  judgement.noise =
      comparison.error.value / std::sqrt(1.0 / static_cast<double>(attempts.size()) + 1.0 / reference.distinct());
  const Places& window = attempts.front().window;
  if (window.size() > 0) judgement.window = {reference.steps[window.from], reference.steps[window.to - 1]};
  judgement.text = describe(reference, judgement, nullptr);
  return judgement;
}

std::vector<std::string> notes_on(const Reference& reference, const Attempt& first) {
  std::vector<std::string> notes;
  const Track& track = first.difference.track;
  if (track.resumed) notes.push_back("resumed: the last value of a repeated step counts");
  if (track.steps.back() < reference.last_step())
    notes.push_back(fmt::format("the curve ends at step {} of {}; judged there", track.steps.back(), reference.last_step()));
  if (!first.gaps.empty()) notes.push_back(first.gaps);
  return notes;
}

bool equals_a_reference(const Reference& reference, const Track& track) {
  return std::ranges::any_of(reference.runs, [&](const Track& run) { return identical(run, track); });
}

/// What the subject saw: a moved attempt's first values say less than those of an attempt that was not.
Batches batches_of(std::span<const Attempt> attempts) {
  const auto key = [](const Attempt& attempt) {
    return std::pair(attempt.difference.track.perturbed.value_or(0) == 0, attempt.batches);
  };
  return std::ranges::max(attempts, {}, key).batches;
}

Judgement by_level(const Reference& reference, std::vector<Attempt> usable, const NoisePool& pool,
                   const configs::Acceptance& accept) {
  const DistinctAttempts all = distinct(std::move(usable));
  const std::vector<Attempt>& attempts = all.attempts;
  const int runs = static_cast<int>(attempts.size());
  Spread spread = spread_of(reference, attempts);
  spread.identical = all.repeated;
  Spread known = known_spread(reference, pool);
  known += spread;
  // Known to repeat bit for bit, from this trial or from earlier ones: a further attempt would show nothing new.
  const bool repeats_itself = runs == 1 && pool.total.dof == 0 && (all.repeated > 0 || pool.deterministic());
  const bool last_look = repeats_itself || runs + all.repeated >= accept.max_repeats;
  Judgement judgement = by_chance(reference) ? judge_by_repeats(reference, attempts, known, accept, last_look)
                                             : judge_by_windows(reference, mean_difference(attempts), batches_of(attempts),
                                                                pool, accept, runs);
  judgement.reason = judgement.verdict == Verdict::inconclusive ? "noise" : "level";
  judgement.repeat_helps = judgement.verdict == Verdict::inconclusive && !last_look;
  if (judgement.verdict == Verdict::fail)
    judgement.first_bad_step = first_bad_step(reference, attempts.front().difference, *judgement.delta);
  if (reference.shortened) {  // another window: no measure for whole runs
    spread = {};
    spread.identical = all.repeated;
  }
  judgement.spreads[reference.metric.name] = spread;
  for (std::string& note : notes_on(reference, attempts.front())) judgement.notes.push_back(std::move(note));
  return judgement;
}

Judgement by_event(const Reference& reference, const Attempt& attempt, const Event& event) {
  Judgement judgement = judge_by_event(reference.metric.name, event);
  if (attempt.trouble.empty()) judgement.delta = level_in(reference, attempt.difference, attempt.window);
  return judgement;
}

Judgement identical_to_reference(const Reference& reference, std::span<const Attempt> attempts) {
  Judgement judgement;
  judgement.verdict = Verdict::pass;
  judgement.reason = "identical";
  judgement.text = fmt::format("{} equals a reference run bit for bit", reference.metric.name);
  judgement.delta = level_in(reference, attempts.front().difference, attempts.front().window);
  judgement.p_bad = 0;
  judgement.spreads[reference.metric.name].identical = static_cast<int>(attempts.size());
  return judgement;
}

/// No pass: the attempt may be good or not.
void forbid_pass(const Event& event, Judgement& judgement) {
  if (judgement.verdict != Verdict::pass) return;
  judgement.verdict = Verdict::inconclusive;
  judgement.reason = event.code;
  judgement.text = event.text;
  judgement.p_bad = 0.5;
  judgement.repeat_helps = false;
}

Judgement by_rules(const Reference& reference, std::span<const Curve> curves, const NoisePool& pool,
                   const configs::Acceptance& accept) {
  std::vector<Attempt> usable;
  std::vector<std::string> notes;
  std::optional<Event> forbids;
  Judgement judgement;
  judgement.reason = "no-curve";
  judgement.text = "there is no attempt to judge";
  for (const Curve& curve : curves) {
    Attempt attempt = attempt_of(reference, curve);
    for (const Event& event : attempt.events) {
      if (event.fails) {  // failing events come first: notes of this attempt would add nothing
        judgement = by_event(reference, attempt, event);
        judgement.notes = std::move(notes);
        return judgement;
      }
      notes.push_back(event.text);
      if (event.forbids_pass) forbids = event;
    }
    if (attempt.trouble.empty()) {
      usable.push_back(std::move(attempt));
    } else {
      judgement.reason = attempt.trouble;
      judgement.text = attempt.trouble_text;
      notes.push_back(fmt::format("an attempt is left out: {}", attempt.trouble_text));
    }
  }
  if (usable.empty()) return judgement;
  const bool same = std::ranges::all_of(
      usable, [&](const Attempt& attempt) { return equals_a_reference(reference, attempt.difference.track); });
  // A reference that is itself off is a matter of noise, not a proof. So is one run of a subject whose runs were seen to
  // differ: the next one may be another.
  const bool may_vary = reference.subject_varies && usable.size() == 1;
  if (same) judgement = identical_to_reference(reference, usable);
  if (!same || may_vary || badness(reference, *judgement.delta) > reference.accept.target)
    judgement = by_level(reference, std::move(usable), pool, accept);
  judgement.notes.insert(judgement.notes.end(), notes.begin(), notes.end());
  if (forbids) forbid_pass(*forbids, judgement);
  return judgement;
}

}  // namespace

Judgement judge_by_event(const std::string& metric, const Event& event) {
  Judgement judgement;
  judgement.metric = metric;
  judgement.verdict = Verdict::fail;
  judgement.reason = event.code;
  judgement.text = event.text;
  judgement.p_bad = 1;
  judgement.first_bad_step = event.step;
  return judgement;
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
  judgement.text = describe(reference, judgement, &seen);
  if (ruling.verdict == Verdict::inconclusive)
    judgement.text +=
        fmt::format("; the noise hides the answer, which leans to {}", judgement.p_bad > 0.5 ? "fail" : "pass");
  if (ruling.until)
    judgement.text += fmt::format("; it agrees up to step {}, and behind that this log cannot tell", *ruling.until);
  if (ruling.on_the_way) {
    const Steps there = steps_of(reference, difference, ruling.on_the_way->level);
    judgement.notes.push_back(fmt::format("it was off by {:+.2g} % in steps {} to {}, but ends within the target",
                                          100 * ruling.on_the_way->level.mean, there.first, there.last));
  } else if (ruling.verdict == Verdict::pass && seen.real(accept.target)) {
    judgement.notes.push_back("the difference is real, and within the target");
  }
  return judgement;
}

Judgement judge(const Reference& reference, std::span<const Curve> attempts, const NoisePool& pool,
                const configs::Acceptance& accept) {
  Judgement judgement = by_rules(reference, attempts, pool, accept);
  judgement.metric = reference.metric.name;
  return judgement;
}

}  // namespace bisectd::driver::judge
