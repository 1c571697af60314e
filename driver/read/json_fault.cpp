#include "driver/read/json_fault.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bisectd::driver::read {

std::string json_fault(std::string_view text, const nlohmann::json::exception& error) {
  const auto* syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error);
  if (!syntax) {
    const std::string_view said = error.what();  // "[json.exception.out_of_range.403] key 'points' not found"
    const std::size_t code = said.starts_with('[') ? said.find("] ") : std::string_view::npos;
    return std::string(code == std::string_view::npos ? said : said.substr(code + 2));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "it is empty";
  const std::string_view before = text.substr(0, std::min(text.size(), std::max<std::size_t>(syntax->byte, 1) - 1));
  const auto line = 1 + std::ranges::count(before, '\n');
  if (syntax->byte > text.size()) return fmt::format("it ends in the middle of line {}, as if cut off", line);
  const std::size_t start = before.rfind('\n');
  return fmt::format("line {}, column {}: no JSON from here on", line,
                     before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1);
}

}  // namespace bisectd::driver::read
