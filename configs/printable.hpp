// Text of unknown origin made safe to print: no control characters, no invalid UTF-8, no invisible reordering.
// Knows nothing of files or terminals' sizes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bisectd::configs {

/// One character of UTF-8 text.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The character that starts `text`; empty if its bytes are not valid UTF-8 (RFC 3629: no surrogates, no overlong
/// forms).
std::optional<Character> first_character(std::string_view text);

/// True for characters that must not reach a terminal: C0, DEL, C1, line separators, zero-width and bidi controls.
bool is_unsafe(char32_t code);

/// Columns a terminal uses for the character: 2 for East Asian wide ones, else 1.
int columns(char32_t code);

/// `text` with unsafe characters and invalid bytes written as \n, \t, \xNN or \u{NNNN}.
std::string printable(std::string_view text);

/// `text` printable, clipped to 60 characters, between back quotes.
std::string in_quotes(std::string_view text);

}  // namespace bisectd::configs
