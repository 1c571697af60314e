// "Did you mean": the nearest right word.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bisectd::configs {

/// The candidate with the least edit distance (Damerau, optimal string alignment) to `word`, if it is near enough to be
/// a slip: at most a third of the word's length, at least one. Ties: the first.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace bisectd::configs
