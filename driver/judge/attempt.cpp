// See attempt.hpp.
#include "driver/judge/attempt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "driver/judge/length.hpp"

namespace bisectd::driver::judge {

namespace {

constexpr double kMissingInWindow = 0.2;  ///< of the points due in the final window
constexpr double kMissingBefore = 0.25;   ///< of those due in the whole run: the rules for its course would be blind
constexpr double kWorthANote = 0.02;      ///< of these

/// Points that an attempt should have in a stretch: fewer than the grid's if it logs at a coarser interval, so that only
/// every lcm-th step is common. A regular coarser log has no gaps.
double points_due(const Reference& reference, std::int64_t mine, const Places& places) {
  const std::int64_t every = std::max<std::int64_t>(1, mine / std::gcd(mine, reference.stride));
  return static_cast<double>(places.size()) / static_cast<double>(every);
}

void check_coverage(const Reference& reference, const Curve& curve, Attempt& attempt) {
  const Track& track = attempt.difference.track;
  const auto unresolved = [&attempt](std::string code, std::string text) {
    attempt.trouble = std::move(code);
    attempt.trouble_text = std::move(text);
  };
  const auto logged = curve.series.find(reference.metric.name);
  if (logged == curve.series.end() || logged->second.empty())
    return unresolved("no-curve", fmt::format("no {} was logged", reference.metric.name));
  if (!sane_steps(logged->second))
    return unresolved("misaligned", fmt::format("{} was logged at an impossible step", reference.metric.name));
  const Track logs = tidy(logged->second);
  const std::int64_t mine = stride(logs.steps);  // also where a part of the run holds one value only
  const double whole = static_cast<double>(reference.last_step() - reference.steps.front() + reference.stride);
  const std::int64_t late = logs.steps.front() - reference.steps.front();
  if (late >= mine && static_cast<double>(late) > kMissingBefore * whole) {
    return unresolved(
        "begins-late",
        fmt::format("{} begins at step {}, and at {} in the reference{}: if it went on from a checkpoint of an "
                    "earlier attempt, let each write its own, below {{attempt}}",
                    reference.metric.name, logs.steps.front(), reference.steps.front(),
                    attempt.difference.places.empty() ? ", with no logged step in common" : ""));
  }
  if (attempt.difference.places.empty()) {
    return unresolved("misaligned", "the attempt and the reference have no logged step in common");
  }
  const std::int64_t missing = reference.last_step() - track.steps.back();
  // Whoever logs every tenth step ends at step 30 of 35, too.
  const bool was_due = missing >= mine;
  if (was_due && static_cast<double>(missing) > (1 - kWholeRun) * whole) {
    return unresolved("truncated", fmt::format("{} ends at step {} of {}", reference.metric.name, track.steps.back(),
                                               reference.last_step()));
  }
  attempt.window = window_at(reference, track.steps.back());
  // Text that tells how many are missing of `places`, if they are more than this share.
  const auto missing_text = [&](const Places& places, double share, std::string_view where) -> std::string {
    const auto found = static_cast<double>(values_in(attempt.difference, places).size());
    const double due = points_due(reference, mine, places);
    if (found >= 1 && found >= std::floor((1 - share) * due)) return "";
    return fmt::format("{} of about {:.0f} points are missing{}", std::max(1.0, std::ceil(due - found)), due, where);
  };
  const Places run = places_between(reference, reference.steps.front() - reference.stride, track.steps.back());
  if (std::string text = missing_text(attempt.window, kMissingInWindow, " in the final window"); !text.empty())
    return unresolved("gaps", std::move(text));
  if (std::string text = missing_text(run, kMissingBefore, ""); !text.empty()) return unresolved("gaps", std::move(text));
  attempt.gaps = missing_text(run, kWorthANote, "");
}

}  // namespace

Batches batches_of(const Reference& reference, const Difference& difference) {
  std::vector<double> mine, theirs;
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    const std::size_t place = difference.places[i];
    theirs.push_back(reference.mean[place]);
    mine.push_back(reference.mean[place] + difference.values[i] * reference.scale[place]);
  }
  return batches_of(mine, theirs);
}

Attempt attempt_of(const Reference& reference, const Curve& curve) {
  Attempt attempt;
  attempt.difference = difference(reference, curve);
  if (const auto unlike = unlike_logs(reference, curve)) {
    attempt.trouble = unlike->code;
    attempt.trouble_text = unlike->message;
    return attempt;
  }
  attempt.batches = batches_of(reference, attempt.difference);
  attempt.events = events_of(reference, curve, attempt.difference, AttemptStage::over);
  check_coverage(reference, curve, attempt);
  return attempt;
}

DistinctAttempts distinct(std::vector<Attempt> attempts) {
  DistinctAttempts result;
  for (Attempt& attempt : attempts) {
    const bool known = std::any_of(result.attempts.begin(), result.attempts.end(), [&](const Attempt& other) {
      return identical(attempt.difference.track, other.difference.track);
    });
    if (known) {
      ++result.repeated;
    } else {
      result.attempts.push_back(std::move(attempt));
    }
  }
  return result;
}

Spread spread_of(const Reference& reference, std::span<const Attempt> attempts) {
  const bool rounding_alone = !by_chance(reference);
  std::vector<double> last, before;
  for (const Attempt& attempt : attempts) {
    if (rounding_alone && attempt.difference.track.perturbed.value_or(0) > 0) continue;
    last.push_back(level_in(reference, attempt.difference, attempt.window));
    const Places places = window_before(attempt.window);
    if (2 * values_in(attempt.difference, places).size() >= values_in(attempt.difference, attempt.window).size())
      before.push_back(level_in(reference, attempt.difference, places));
  }
  if (before.size() < last.size()) before.clear();
  return spread_of(last, before);
}

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
