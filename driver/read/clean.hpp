// Makes foreign text harmless. Knows nothing of what it means.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bisectd::driver::read {

/// The text itself if it is clean already, else a clean copy in `scratch`: without terminal escape sequences (ECMA-48),
/// each byte that is not UTF-8 replaced by U+FFFD. Other control characters stay.
std::string_view cleaned(std::string_view text, std::string& scratch);

/// Each byte that is not UTF-8 replaced by U+FFFD; nothing else is changed.
std::string with_valid_characters(std::string_view text);

/// Cleaned, without any control character, and at most `most_bytes` long (cut between characters).
std::string for_display(std::string_view text, std::size_t most_bytes);

}  // namespace bisectd::driver::read
