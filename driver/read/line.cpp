#include "driver/read/line.hpp"

#include <re2/re2.h>
#include <utf8.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace bisectd::driver::read {
namespace {

constexpr unsigned char kLastAscii = 0x7f;

struct Found {
  std::uint8_t highest_bit = 0;  ///< set by a byte that is not plain, the escape 0x1b among them
  std::uint8_t returns = 0;
  std::uint8_t newlines = 0;

  void look_at(char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    highest_bit |= static_cast<std::uint8_t>(byte | -static_cast<int>(byte == 0x1b));
    returns |= static_cast<std::uint8_t>(c == '\r');
    newlines = static_cast<std::uint8_t>(newlines + (c == '\n'));
  }
};

}  // namespace

Contents contents_of(std::string_view text) {
  // The inner loop has a fixed length, sums of one byte and no way out, so that the compiler makes vector code of it.
  constexpr std::size_t kStride = 128;  // fits the counter
  Contents contents{.is_plain = true, .has_returns = false};
  const auto add = [&](const Found& found) {
    contents.is_plain = contents.is_plain && found.highest_bit <= kLastAscii;
    contents.has_returns = contents.has_returns || found.returns != 0;
    contents.newlines += found.newlines;
  };
  for (; text.size() >= kStride; text.remove_prefix(kStride)) {
    Found found;
    for (std::size_t i = 0; i < kStride; ++i) found.look_at(text[i]);
    add(found);
  }
  Found rest;
  for (const char c : text) rest.look_at(c);
  add(rest);
  return contents;
}

std::int64_t Line::number() const { return block->first_line + contents_of(block->text.substr(0, offset)).newlines; }

void for_each_line(const Block& block, const TakeLine& take) {
  std::string scratch;
  std::size_t start = 0;
  while (start < block.text.size()) {
    std::size_t end = block.text.find('\n', start);
    end = std::min(block.text.substr(0, end).find('\r', start), std::min(end, block.text.size()));
    const std::string_view text = cleaned(block.text.substr(start, end - start), scratch);
    if (!text.empty()) take({.text = text, .block = &block, .offset = start});
    start = end + 1;
  }
}

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
  for (;;) {
    const std::size_t good = utf8::find_invalid(text.begin(), text.end()) - text.begin();
    valid += text.substr(0, good);
    if (good == text.size()) return valid;
    valid += "\xef\xbf\xbd";
    text.remove_prefix(good + 1);
  }
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
