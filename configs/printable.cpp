#include "configs/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bisectd::configs {
namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool any_holds(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

constexpr std::array<Range, 6> kUnsafe{
    {{0x00, 0x1F}, {0x7F, 0x9F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF}}};
// Unicode's East_Asian_Width W and F, in the blocks that matter for file names and comments.
constexpr std::array<Range, 8> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0xFFE0, 0xFFE6},
                                      {0x1F300, 0x3FFFD}}};

}  // namespace

std::optional<Character> first_character(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return Character{byte(0), 1};
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return std::nullopt;
  char32_t code = byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return std::nullopt;
    code = (code << 6u) | (byte(i) & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return std::nullopt;
  return Character{code, length};
}

bool is_unsafe(char32_t code) { return any_holds(kUnsafe, code); }

int columns(char32_t code) { return any_holds(kWide, code) ? 2 : 1; }

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (character && !is_unsafe(character->code))
      result += text.substr(0, bytes);
    else if (text[0] == '\n')
      result += "\\n";
    else if (text[0] == '\t')
      result += "\\t";
    else if (bytes == 1)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else
      result += fmt::format("\\u{{{:04x}}}", static_cast<unsigned>(character->code));
    text.remove_prefix(bytes);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result;
  std::size_t taken = 0;
  std::size_t at = 0;
  for (; at < text.size() && taken < kLongest; ++taken) {
    const auto character = first_character(text.substr(at));
    at += character ? character->bytes : 1;
  }
  return "`" + printable(text.substr(0, at)) + (at < text.size() ? "..." : "") + "`";
}

}  // namespace bisectd::configs
