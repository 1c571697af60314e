#include "reports/escape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/printable.hpp"
#include "configs/shell_word.hpp"

namespace bisectd::reports {
namespace {

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

std::string plain(std::string_view text) { return configs::printable(text); }

std::string plain_lines(std::string_view text) { return configs::printable_lines(text); }

std::string html(std::string_view text) { return entities(plain(text)); }

std::string html_lines(std::string_view text) { return entities(plain_lines(text)); }

std::string html_link(std::string_view path) {
  std::string result = "./";
  for (const char c : path) {
    const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         std::string_view("-._~/").find(c) != std::string_view::npos;
    result += is_safe ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

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

std::string shell_word(std::string_view text) { return configs::shell_word(text); }

}  // namespace bisectd::reports
