// Which runs of one training are samples of its rounding: the seeds of their perturbations, and what is odd about them.
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/trial/attempts.hpp"

namespace bisectd::driver {

/// The seed of a trial's next attempt: the lowest that neither a whole curve nor a running attempt has, so that the retry of
/// a crash is perturbed like what crashed and a resumed trial goes on where it was. 0 without a perturbation, and where all
/// samples that it allows are there: then it is a repeat.
int next_seed(const std::optional<configs::Perturbation>& perturb, std::span<const AttemptOutcome> ended,
              std::span<const int> running);

/// The attempt to be shown for all of them: the last that came to its end without a perturbation, else the last that did,
/// else the last. There is one.
const AttemptOutcome& plain_attempt(std::span<const AttemptOutcome> attempts);

/// The attempt that says why there is no verdict: the last that gave no whole curve, else the last. There is one.
const AttemptOutcome& last_broken(std::span<const AttemptOutcome> attempts);

/// The curves of the attempts that came to their end, as samples.
std::vector<judge::Curve> whole_curves(std::span<const AttemptOutcome> attempts);

/// `perturbed` becomes 0 in curves that are bit for bit what a run with another seed logged: repeats, no samples.
std::vector<judge::Curve> as_samples(std::vector<judge::Curve> curves);

/// Curves that are bit for bit what the first one is. They show that a side has no noise even where the judge takes no
/// spread from them, because the run failed by an event. Not of an empty list.
int identical_repeats(std::span<const judge::Curve> curves);

/// Whether there is a whole curve and everything that broke was perturbed: then what the trial is about did not break.
bool only_perturbed_broke(std::span<const AttemptOutcome> attempts);

/// By what repeats are perturbed, the first of at most `repeats` runs having nothing of it: "BISECTD_PERTURB=1, 2".
std::string perturbation_text(const configs::Perturbation& perturb, int repeats);

/// What may be odd about perturbed runs.
enum class Oddity { no_effect, undone, unsaid, too_large, breaks };

struct OddPerturbation {
  Oddity oddity;
  std::string text;  ///< one sentence
};

/// Of the attempts of one trial of `side` ("reference", "subject"), by the metric that decides; each oddity once.
std::vector<OddPerturbation> odd_perturbations(std::span<const AttemptOutcome> attempts,
                                               const configs::Perturbation& perturb, const std::string& side,
                                               const std::string& metric);

}  // namespace bisectd::driver
