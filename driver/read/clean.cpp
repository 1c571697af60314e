#include "driver/read/clean.hpp"

#include <re2/re2.h>
#include <utf8.h>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {
namespace {

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
  // A control sequence has parameters, then one final byte; an operating system command ends with BEL or ESC backslash. One
  // that is cut short by the line's end goes to that end.
  static const re2::RE2 escape(R"((?s)\x1b(?:\[[ -?]*.?|\][^\x07\x1b]*(?:\x07|\x1b.?)?|.)?)", re2::RE2::Latin1);
  std::string shown(text);
  re2::RE2::GlobalReplace(&shown, escape, "");
  scratch = with_valid_characters(shown);
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
