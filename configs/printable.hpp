// Text of unknown origin made safe to print: no control characters, no invalid UTF-8, nothing invisible; and how wide it is
// on a terminal. The one place that knows this. Knows nothing of files.
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

/// True for characters that act on a terminal or cannot be seen there, so that two different names would look alike:
/// controls (C0, DEL, C1), line separators, all bidi controls, zero-width and tag characters, variation selectors,
/// non-characters.
bool is_unsafe(char32_t code);

/// Columns a terminal uses for the character: 2 for East Asian wide ones, 0 for combining marks, else 1.
int columns(char32_t code);

/// Columns a terminal uses for valid text without unsafe characters.
std::size_t columns(std::string_view text);

/// `text` with unsafe characters and invalid bytes written as \n, \r, \t, \xNN (a byte) or \u{NNNN} (a character).
std::string printable(std::string_view text);

/// As printable(), but newlines and tabs stay.
std::string printable_lines(std::string_view text);

/// `text` printable, clipped to 60 characters, between back quotes.
std::string in_quotes(std::string_view text);

/// Printable text filled up with spaces behind it, or before it, to `width` columns.
std::string filled_behind(std::string text, std::size_t width);
std::string filled_before(std::string text, std::size_t width);

/// Printable text without its middle, at most `width` columns wide on any terminal.
std::string elided(const std::string& text, std::size_t width);

}  // namespace bisectd::configs
