// Odds of what deviates in one step. Only the order in which suspects are tried follows from them, never an answer.
#pragma once

namespace bisectd::driver::align {

/// A wrong hint costs one or two trials; a first deviation is rarely innocent, but often harmless.
inline constexpr double kOddsOfFirst = 20;

/// Of those after it whose inputs agree: they deviate by themselves, too.
inline constexpr double kOddsOfOthers = 5;

}  // namespace bisectd::driver::align
