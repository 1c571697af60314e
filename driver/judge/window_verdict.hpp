// The verdict of windows: what each says by its witnesses, and what follows from all of them. docs/verdicts.md derives it.
#pragma once

#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// The verdict by windows alone (events, repeats and missing values aside) of a difference that was averaged over attempts;
/// `runs` of them. Used while a run goes on, too.
Judgement judge_by_windows(const Reference& reference, const Difference& difference, Batches batches, const NoisePool& pool,
                           const configs::Acceptance& accept, int runs);

/// "loss is 3.1 % above the reference in steps 41 to 72, give or take 0.2 % (target 0.5 %)"; `beside`: before the target.
std::string describe(const Reference& reference, const Judgement& judgement, const std::string& beside);

/// What repeats of one side show of a level of `runs` attempts.
StandardError own_error(const Reference& reference, const Spread& known, int runs);

}  // namespace bisectd::driver::judge
