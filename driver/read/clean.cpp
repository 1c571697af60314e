#include "driver/read/clean.hpp"

#include <utf8.h>

#include <algorithm>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {
namespace {

constexpr char kEscape = '\x1b';

/// Length of the escape sequence that `text` begins with. A sequence cut short by the line's end goes to that end.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {  // control sequence: parameters and intermediates, then one final byte
    std::size_t i = 2;
    while (i < text.size() && text[i] >= ' ' && text[i] <= '?') ++i;
    return std::min(i + 1, text.size());
  }
  if (text[1] == ']') {  // operating system command: up to BEL or ESC backslash
    const std::size_t end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return std::min(end + (text[end] == '\a' ? 1 : 2), text.size());
  }
  return 2;
}

void append_valid(std::string_view text, std::string& valid) {
  for (;;) {
    const std::size_t good = utf8::find_invalid(text.begin(), text.end()) - text.begin();
    valid += text.substr(0, good);
    if (good == text.size()) return;
    valid += "\xef\xbf\xbd";
    text.remove_prefix(good + 1);
  }
}

}  // namespace

std::string_view cleaned(std::string_view text, std::string& scratch) {
  if (contents_of(text).is_plain) return text;
  scratch.clear();
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find(kEscape), text.size());
    append_valid(text.substr(0, escape), scratch);
    text.remove_prefix(escape);
    if (!text.empty()) text.remove_prefix(escape_length(text));
  }
  return scratch;
}

std::string with_valid_characters(std::string_view text) {
  std::string valid;
  append_valid(text, valid);
  return valid;
}

std::string for_display(std::string_view text, std::size_t most_bytes) {
  std::string scratch;
  const std::string_view clean = cleaned(text, scratch);
  std::string shown;
  for (const char* at = clean.data(); at != clean.data() + clean.size();) {
    const char* const start = at;
    const std::uint32_t code = utf8::unchecked::next(at);
    if (shown.size() + static_cast<std::size_t>(at - start) > most_bytes) break;
    const bool control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    if (!control) shown.append(start, at);
    else if (code == '\t') shown += ' ';
  }
  return shown;
}

}  // namespace bisectd::driver::read
