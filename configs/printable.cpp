#include "configs/printable.hpp"

#include <fmt/format.h>
#include <utf8.h>

#include <algorithm>
#include <array>
#include <vector>

namespace bisectd::configs {
namespace {

struct Range {
  char32_t first, last;
};

// Ascending. Unicode's general categories Cc, Cf, Zl and Zp (without those Arabic and Kaithi signs that are seen), its
// property Default_Ignorable_Code_Point, and non-characters of the first plane. A joiner or a selector inside an emoji
// becomes visible, too: the price of names that cannot lie.
constexpr std::array kUnsafe{Range{0x00, 0x1F},      Range{0x7F, 0x9F},     Range{0xAD, 0xAD},       Range{0x034F, 0x034F},
                             Range{0x061C, 0x061C},  Range{0x115F, 0x1160}, Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},
                             Range{0x200B, 0x200F},  Range{0x2028, 0x202E}, Range{0x2060, 0x206F},   Range{0x3164, 0x3164},
                             Range{0xFDD0, 0xFDEF},  Range{0xFE00, 0xFE0F}, Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},
                             Range{0xFFF0, 0xFFFB},  Range{0xFFFE, 0xFFFF}, Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A},
                             Range{0xE0000, 0xE0FFF}};
// Ascending. Unicode's East_Asian_Width W and F, in the blocks that matter for file names and comments.
constexpr std::array kWide{Range{0x1100, 0x115F}, Range{0x2E80, 0xA4CF}, Range{0xAC00, 0xD7A3}, Range{0xF900, 0xFAFF},
                           Range{0xFE30, 0xFE6F}, Range{0xFF00, 0xFF60}, Range{0xFFE0, 0xFFE6}, Range{0x1F300, 0x3FFFD}};
// Ascending. Blocks of combining marks only: what a file name decomposed by a Mac holds.
constexpr std::array kCombining{Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
                                Range{0x20D0, 0x20FF}, Range{0x3099, 0x309A}, Range{0xFE20, 0xFE2F}};

template <std::size_t N>
bool any_holds(const std::array<Range, N>& ranges, char32_t code) {
  const auto range = std::ranges::lower_bound(ranges, code, {}, &Range::last);
  return range != ranges.end() && code >= range->first;
}

std::string made_visible(std::string_view text, std::string_view kept) {
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (character && (!is_unsafe(character->code) || kept.find(text[0]) != std::string_view::npos))
      result += text.substr(0, bytes);
    else if (text[0] == '\n') result += "\\n";
    else if (text[0] == '\r') result += "\\r";
    else if (text[0] == '\t') result += "\\t";
    else if (bytes == 1) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else result += fmt::format("\\u{{{:04x}}}", static_cast<unsigned>(character->code));
    text.remove_prefix(bytes);
  }
  return result;
}

/// Some terminals show Greek, Cyrillic and signs in two columns, too: the most that any uses.
std::size_t most_columns(char32_t code) { return code < 0x80 ? 1 : 2; }

std::string spaces_up_to(std::size_t width, std::string_view text) {
  const std::size_t used = columns(text);
  return std::string(width > used ? width - used : 0, ' ');
}

}  // namespace

std::optional<Character> first_character(std::string_view text) {
  if (text.empty()) return std::nullopt;
  try {
    auto end = text.begin();
    const char32_t code = utf8::next(end, text.end());
    return Character{code, static_cast<std::size_t>(end - text.begin())};
  } catch (const utf8::exception&) {
    return std::nullopt;
  }
}

bool is_unsafe(char32_t code) { return any_holds(kUnsafe, code); }

int columns(char32_t code) { return any_holds(kCombining, code) ? 0 : any_holds(kWide, code) ? 2 : 1; }

std::size_t columns(std::string_view text) {
  int sum = 0;
  while (const auto character = first_character(text)) {
    sum += columns(character->code);
    text.remove_prefix(character->bytes);
  }
  return static_cast<std::size_t>(sum);
}

std::string printable(std::string_view text) { return made_visible(text, ""); }

std::string printable_lines(std::string_view text) { return made_visible(text, "\n\t"); }

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

std::string filled_behind(std::string text, std::size_t width) { return text + spaces_up_to(width, text); }

std::string filled_before(std::string text, std::size_t width) { return spaces_up_to(width, text) + text; }

std::string elided(const std::string& text, std::size_t width) {
  std::vector<std::size_t> starts, before{0};  // of each character: its first byte; the columns before it, and those of all
  std::string_view rest = text;
  while (const auto character = first_character(rest)) {
    starts.push_back(text.size() - rest.size());
    before.push_back(before.back() + most_columns(character->code));
    rest.remove_prefix(character->bytes);
  }
  if (before.back() <= width) return text;
  constexpr std::string_view kGap = "...";
  if (width <= kGap.size()) return std::string(kGap.substr(0, width));
  const std::size_t kept = width - kGap.size();
  std::size_t head = 0, tail = starts.size();
  while (before[head + 1] <= (kept + 1) / 2) ++head;
  while (before.back() - before[tail - 1] <= kept / 2) --tail;
  return text.substr(0, starts[head]) + std::string(kGap) + (tail < starts.size() ? text.substr(starts[tail]) : "");
}

}  // namespace bisectd::configs
