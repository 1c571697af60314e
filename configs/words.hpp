// Checks on single words: which characters a name may hold. Knows nothing of files.
#pragma once

#include <algorithm>
#include <string_view>

namespace bisectd::configs {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A letter or `_`, then letters, digits and `_`: a variable, a placeholder, a regular expression's group.
constexpr bool is_identifier(std::string_view word) {
  return !word.empty() && !is_digit(word[0]) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

/// Letters, digits, '.', '_' and '-', not starting with '.' or '-', at most 100: safe as a folder's name and an option.
inline constexpr const char* kPlainNameRule =
    "letters, digits, `.`, `_` and `-`, at most 100, starting with a letter, a digit or `_`";

constexpr bool is_plain_name(std::string_view word) {
  return !word.empty() && word.size() <= 100 && word[0] != '.' && word[0] != '-' &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace bisectd::configs
