#include "driver/read/clean.hpp"

#include <algorithm>

#include "driver/read/contents.hpp"

namespace bisectd::driver::read {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_between(char c, unsigned char low, unsigned char high) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

bool is_control(char c) { return is_between(c, 0, 0x1f) || c == '\x7f'; }

/// Length of the escape sequence that `text` begins with. A sequence cut short by the line's end goes to that end.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {  // control sequence: parameters and intermediates, then one final byte
    std::size_t i = 2;
    while (i < text.size() && is_between(text[i], 0x20, 0x3f)) ++i;
    return std::min(i + 1, text.size());
  }
  if (text[1] == ']') {  // operating system command: up to BEL or ESC backslash
    const std::size_t end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return std::min(end + (text[end] == '\a' ? 1 : 2), text.size());
  }
  return 2;
}

/// Length of the well-formed character that `text` begins with (The Unicode Standard, table 3-7), or 0.
std::size_t character_length(std::string_view text) {
  const char lead = text[0];
  if (is_between(lead, 0x00, 0x7f)) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  if (is_between(lead, 0xc2, 0xdf)) {
    length = 2;
  } else if (is_between(lead, 0xe0, 0xef)) {
    length = 3;
    if (lead == '\xe0') low = 0xa0;
    if (lead == '\xed') high = 0x9f;
  } else if (is_between(lead, 0xf0, 0xf4)) {
    length = 4;
    if (lead == '\xf0') low = 0x90;
    if (lead == '\xf4') high = 0x8f;
  }
  if (length == 0 || text.size() < length || !is_between(text[1], low, high)) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!is_between(text[i], 0x80, 0xbf)) return 0;
  return length;
}

}  // namespace

std::string_view cleaned(std::string_view text, std::string& scratch) {
  if (contents_of(text).is_plain) return text;
  scratch.clear();
  while (!text.empty()) {
    std::size_t length = 1;
    if (text[0] == kEscape) {
      length = escape_length(text);
    } else if (const std::size_t whole = character_length(text); whole > 0) {
      length = whole;
      scratch += text.substr(0, whole);
    } else {
      scratch += kReplacement;
    }
    text.remove_prefix(length);
  }
  return scratch;
}

std::string with_valid_characters(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t whole = character_length(text);
    valid += whole > 0 ? text.substr(0, whole) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(whole, 1));
  }
  return valid;
}

std::string for_display(std::string_view text, std::size_t most_bytes) {
  std::string scratch;
  std::string_view clean = cleaned(text, scratch);
  std::string shown;
  while (!clean.empty()) {
    const std::size_t length = character_length(clean);
    if (shown.size() + length > most_bytes) break;
    // U+0080 to U+009F are control characters, too.
    const bool control = is_control(clean[0]) || (clean[0] == '\xc2' && is_between(clean[1], 0x80, 0x9f));
    if (!control) shown += clean.substr(0, length);
    else if (clean[0] == '\t') shown += ' ';
    clean.remove_prefix(length);
  }
  return shown;
}

}  // namespace bisectd::driver::read
