#include "configs/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace bisectd::configs {

NameTable read_name_table(const std::filesystem::path& file, std::string_view column) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error(fmt::format("no such table: {}", file.string()));
  NameTable table;
  std::vector<std::string> cells;
  std::optional<std::size_t> wanted;
  std::size_t width = 0;
  int line_number = 0;
  for (std::string line; std::getline(input, line);) {
    ++line_number;
    if (line.empty() || line.starts_with('#')) continue;
    boost::split(cells, line, boost::is_any_of("\t"));
    if (!wanted) {
      const auto found = std::ranges::find(cells, column);
      if (found == cells.end())
        throw std::runtime_error(
            fmt::format("{} has no column `{}`; it has {}", file.string(), column, fmt::join(cells, ", ")));
      wanted = static_cast<std::size_t>(found - cells.begin());
      width = cells.size();
      continue;
    }
    if (cells.size() != width || std::ranges::count(cells, ""))
      throw std::runtime_error(fmt::format("{}:{}: expected {} names", file.string(), line_number, width));
    const std::string& in_logs = cells.front();
    const std::string& written = cells[*wanted];
    if (in_logs != written) table.written_name.emplace(in_logs, written);
    table.known_names.push_back(written);
  }
  if (table.known_names.empty()) throw std::runtime_error(fmt::format("{} holds no names", file.string()));
  std::ranges::sort(table.known_names);
  const auto [first, last] = std::ranges::unique(table.known_names);
  table.known_names.erase(first, last);
  return table;
}

}  // namespace bisectd::configs
