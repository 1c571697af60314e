#include "driver/trial/samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "driver/judge/align.hpp"

namespace bisectd::driver {
namespace {

/// Relative, of the first logged value: a perturbation of 2^-10 of the parameters moves that of the recogniser by 4e-4.
constexpr double kLargestFirstChange = 3e-2;

/// By how much the first value differs from that of `plain`, relative; empty if there is no such value on both sides.
std::optional<double> first_change(const judge::Curve& plain, const judge::Curve& curve, const std::string& metric) {
  const auto a = plain.series.find(metric), b = curve.series.find(metric);
  if (a == plain.series.end() || b == curve.series.end() || a->second.empty() || b->second.empty()) return std::nullopt;
  const judge::Point &first = a->second.front(), &other = b->second.front();
  if (first.step != other.step || first.value == 0 || !std::isfinite(first.value)) return std::nullopt;
  return std::abs(other.value - first.value) / std::abs(first.value);
}

}  // namespace

int next_seed(const std::optional<configs::Perturbation>& perturb, std::span<const AttemptOutcome> ended,
              std::span<const int> running) {
  if (!perturb) return 0;
  const auto is_taken = [&](int seed) {
    return std::ranges::count(running, seed) || std::ranges::any_of(ended, [&](const AttemptOutcome& attempt) {
             return attempt.perturbed == seed && can_be_judged(attempt);
           });
  };
  int seed = 0;
  while (is_taken(seed)) ++seed;
  const std::optional<int> most = configs::most_samples(*perturb);
  return most && seed >= *most ? 0 : seed;
}

const AttemptOutcome& plain_attempt(std::span<const AttemptOutcome> attempts) {
  const AttemptOutcome* shown = nullptr;
  for (const AttemptOutcome& attempt : attempts)
    if (can_be_judged(attempt) && (!shown || !attempt.perturbed || shown->perturbed)) shown = &attempt;
  return shown ? *shown : attempts.back();
}

const AttemptOutcome& last_broken(std::span<const AttemptOutcome> attempts) {
  const auto broken = std::find_if_not(attempts.rbegin(), attempts.rend(), can_be_judged);
  return broken == attempts.rend() ? attempts.back() : *broken;
}

std::vector<judge::Curve> whole_curves(std::span<const AttemptOutcome> attempts) {
  std::vector<judge::Curve> curves;
  for (const AttemptOutcome& attempt : attempts)
    if (can_be_judged(attempt)) curves.push_back(attempt.curve);
  return as_samples(std::move(curves));
}

std::vector<judge::Curve> as_samples(std::vector<judge::Curve> curves) {
  std::ranges::stable_sort(curves, {}, &judge::Curve::perturbed);  // runs end in any order; the one without is the first
  const std::vector<judge::Curve> started = curves;
  for (std::size_t i = 1; i < curves.size(); ++i)
    if (curves[i].perturbed &&
        std::any_of(started.begin(), started.begin() + static_cast<std::ptrdiff_t>(i), [&](const judge::Curve& other) {
          return other.perturbed != started[i].perturbed && judge::identical(other, started[i]);
        }))
      curves[i].perturbed = 0;
  return curves;
}

int identical_repeats(std::span<const judge::Curve> curves) {
  return static_cast<int>(std::count_if(curves.begin() + 1, curves.end(),
                                        [&](const judge::Curve& curve) { return judge::identical(curve, curves.front()); }));
}

bool only_perturbed_broke(std::span<const AttemptOutcome> attempts) {
  return std::ranges::any_of(attempts, can_be_judged) && std::ranges::all_of(attempts, [](const AttemptOutcome& attempt) {
           return can_be_judged(attempt) || (attempt.perturbed && attempt.ending != Ending::not_started);
         });
}

std::string perturbation_text(const configs::Perturbation& perturb, int repeats) {
  std::vector<std::string> seeds, settings;
  for (int seed = 1; seed < repeats; ++seed) seeds.push_back(std::to_string(seed));
  for (const auto& entry : perturb.switches) {
    std::vector<std::string> words;
    for (const auto& [name, value] : entry) words.push_back(name + "=" + value.value);
    settings.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  if (!settings.empty()) return fmt::format("{}", fmt::join(settings, ", or "));
  if (perturb.argument) return fmt::format("{} for {{seed}} = {}", perturb.argument->value, fmt::join(seeds, ", "));
  return fmt::format("{}={}", *perturb.environment, fmt::join(seeds, ", "));
}

std::vector<OddPerturbation> odd_perturbations(std::span<const AttemptOutcome> attempts,
                                               const configs::Perturbation& perturb, const std::string& side,
                                               const std::string& metric) {
  std::vector<OddPerturbation> odd;
  const auto say = [&](Oddity oddity, std::string text) {
    if (std::ranges::find(odd, oddity, &OddPerturbation::oddity) == odd.end()) odd.push_back({oddity, std::move(text)});
  };
  const auto plain =
      std::ranges::find_if(attempts, [](const AttemptOutcome& a) { return !a.perturbed && can_be_judged(a); });
  // A log of few digits shows the same in some of them.
  const bool any_effect = plain != attempts.end() && std::ranges::any_of(attempts, [&](const AttemptOutcome& a) {
                            return a.perturbed && can_be_judged(a) && !judge::identical(plain->curve, a.curve);
                          });
  for (const AttemptOutcome& attempt : attempts) {
    if (!attempt.perturbed) continue;
    if (!can_be_judged(attempt)) {
      if (only_perturbed_broke(attempts) && attempt.ending != Ending::ended_early)
        say(Oddity::breaks,
            fmt::format("runs of the {} break when they are perturbed, and did not without: {}", side, attempt.text));
      continue;
    }
    if (!attempt.undone.empty())
      say(Oddity::undone,
          fmt::format("the perturbation of the {} was lost in its run ({}): such runs are repeats, no samples "
                      "of its rounding",
                      side, attempt.undone));
    else if (perturb.made && attempt.perturbation.empty())
      say(Oddity::unsaid,
          fmt::format("nothing in the log of a perturbed run of the {} says that the perturbation was made", side));
    if (plain == attempts.end()) continue;
    if (judge::identical(plain->curve, attempt.curve)) {
      if (!any_effect)
        say(Oddity::no_effect,
            fmt::format("the perturbation of the {} changed nothing that is logged: such runs are repeats, no "
                        "samples of its rounding",
                        side));
    } else if (const auto change = first_change(plain->curve, attempt.curve, metric);
               change && *change > kLargestFirstChange) {
      say(Oddity::too_large,
          fmt::format("perturbed, the {} begins with a {} that is {:.2g} % off: more than rounding does, so either "
                      "it varies by itself from the first step on, or the perturbation is too large",
                      side, metric, 100 * *change));
    }
  }
  return odd;
}

}  // namespace bisectd::driver
