#include "reports/escape.hpp"

#include <fmt/format.h>
#include <utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace bisectd::reports {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Unicode's general categories Cc, Cf, Zl and Zp as far as they hide or reorder text or steer a terminal, ascending.
// A joiner inside an emoji becomes visible too; that is the price of names that cannot lie.
constexpr std::array kActing{
    Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0xAD, 0xAD},     Range{0x061C, 0x061C},   Range{0x180E, 0x180E},
    Range{0x200B, 0x200F}, Range{0x2028, 0x202E}, Range{0x2060, 0x206F}, Range{0xFEFF, 0xFEFF},   Range{0xFFF9, 0xFFFB},
    Range{0xFFFE, 0xFFFF}, Range{0xE0000, 0xE0FFF}};

bool acts(std::uint32_t code_point) {
  const auto* range = std::ranges::lower_bound(kActing, code_point, {}, &Range::last);
  return range != kActing.end() && code_point >= range->first;
}

std::string visible(std::uint32_t code_point) {
  switch (code_point) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  if (code_point < 0x100) return fmt::format("\\x{:02x}", code_point);
  if (code_point < 0x10000) return fmt::format("\\u{:04x}", code_point);
  return fmt::format("\\U{:08x}", code_point);
}

std::string harmless(std::string_view text, std::string_view kept) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::ranges::all_of(text, printable)) return std::string(text);
  std::string valid;
  utf8::replace_invalid(text.begin(), text.end(), std::back_inserter(valid));
  std::string result;
  for (auto at = valid.cbegin(); at != valid.cend();) {
    const auto start = at;
    const std::uint32_t code_point = utf8::next(at, valid.cend());
    const bool keep = code_point < 0x80 && kept.find(static_cast<char>(code_point)) != std::string_view::npos;
    if (keep || !acts(code_point))
      result.append(start, at);
    else
      result += visible(code_point);
  }
  return result;
}

std::string entities(const std::string& text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  return result;
}

// More backticks than any run of them in `text`, at least `least`.
std::string fence(std::string_view text, std::size_t least) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(longest + 1, least), '`');
}

}  // namespace

std::string plain(std::string_view text) { return harmless(text, ""); }

std::string plain_lines(std::string_view text) { return harmless(text, "\n\t"); }

std::string html(std::string_view text) { return entities(plain(text)); }

std::string html_lines(std::string_view text) { return entities(plain_lines(text)); }

std::string markdown_code(std::string_view text) {
  const std::string shown = plain(text);
  if (shown.find_first_not_of(' ') == std::string::npos) return "(empty)";
  const std::string ticks = fence(shown, 1);
  // Markdown strips one space at both ends, so that the text may begin or end with a backtick or a space.
  const bool pad = shown.front() == '`' || shown.back() == '`' || (shown.front() == ' ' && shown.back() == ' ');
  return pad ? ticks + " " + shown + " " + ticks : ticks + shown + ticks;
}

std::string markdown_cell(std::string_view text) {
  std::string result;
  for (const char c : markdown_code(text)) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string markdown_block(std::string_view text, std::string_view language) {
  std::string shown = plain_lines(text);
  if (!shown.empty() && shown.back() != '\n') shown += '\n';
  const std::string ticks = fence(shown, 3);
  return fmt::format("{0}{1}\n{2}{0}\n", ticks, language, shown);
}

std::string shell_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace bisectd::reports
