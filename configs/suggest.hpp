// "Did you mean": the nearest right word.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bisectd::configs {

/// The candidate with the least edit distance (Damerau, optimal string alignment) to `word`, if it is near enough to be
/// a slip: at most a third of the word's length, at least one. Ties: the first. Without such a slip, the first candidate
/// that begins with `word`, if that has three letters or more (`auto` of `automatic`).
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// The name nearest to that of `missing` among what is in its folder; empty if the folder cannot be read.
std::optional<std::string> nearest_in_folder(const std::filesystem::path& missing);

}  // namespace bisectd::configs
