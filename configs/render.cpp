// Shows what is wrong with a file the way a compiler does: place, message, the line, a caret, a hint.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "configs/loader.hpp"
#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr int kExcerpt_columns = 100;

std::string where(const Place& place) {
  const std::string file = printable(place.file);
  if (place.line == 0) return file;
  return place.column == 0 ? fmt::format("{}:{}", file, place.line)
                           : fmt::format("{}:{}:{}", file, place.line, place.column);
}

std::string first_line(const Problem& problem) {
  return fmt::format("{}: {}", where(problem.place), printable(problem.message));
}

/// Lines of the files that problems are in, read when first asked for. Only regular files: a pipe cannot be read again.
class SourceLines {
 public:
  std::string line(const Place& place) {
    auto [found, is_new] = files_.try_emplace(place.file);
    if (is_new) found->second = read(place.file);
    const auto index = static_cast<std::size_t>(place.line) - 1;
    return index < found->second.size() ? found->second[index] : "";
  }

 private:
  static std::vector<std::string> read(const std::string& file) {
    constexpr std::size_t kMostLines = 1'000'000;
    std::vector<std::string> lines;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return lines;
    std::ifstream input(file);
    for (std::string line; lines.size() < kMostLines && std::getline(input, line);) lines.push_back(line);
    if (!lines.empty() && lines[0].starts_with("\xEF\xBB\xBF")) lines[0].erase(0, 3);
    return lines;
  }
  std::map<std::string, std::vector<std::string>> files_;
};

/// One character as it is shown, with its width in terminal columns and where it starts in the line.
struct Cell {
  std::string shown;
  int width;
  std::size_t byte;
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t at = 0; at < line.size();) {
    const auto character = first_character(line.substr(at));
    const std::size_t bytes = character ? character->bytes : 1;
    Cell cell{line[at] == '\t' ? " " : printable(line.substr(at, bytes)), 1, at};
    const bool as_is = character && !is_unsafe(character->code);
    cell.width = as_is ? columns(character->code) : static_cast<int>(cell.shown.size());
    cells.push_back(std::move(cell));
    at += bytes;
  }
  return cells;
}

/// The line and a caret under byte `column` (1-based); a long line is clipped around the caret.
std::string excerpt(std::string line, const Place& place) {
  if (line.ends_with('\r')) line.pop_back();
  const std::vector<Cell> cells = cells_of(line);
  const auto byte = static_cast<std::size_t>(std::max(place.column, 1)) - 1;
  auto caret = static_cast<std::size_t>(std::ranges::find_if(cells, [&](const Cell& cell) { return cell.byte >= byte; }) -
                                        cells.begin());
  std::size_t first = caret;
  for (int room = kExcerpt_columns / 2; first > 0 && room > 0; --first) room -= cells[first - 1].width;
  std::string text = first > 0 ? "..." : "";
  int before_caret = static_cast<int>(text.size());
  int used = 0;
  std::size_t at = first;
  for (; at < cells.size() && used < kExcerpt_columns; ++at) {
    if (at < caret) before_caret += cells[at].width;
    used += cells[at].width;
    text += cells[at].shown;
  }
  if (at < cells.size()) text += "...";
  const std::string number = std::to_string(place.line);
  return fmt::format("  {} | {}\n  {:{}} | {:{}}^\n", number, text, "", number.size(), "", before_caret);
}

}  // namespace

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(problems.empty() ? "nothing is wrong" : first_line(problems.front())),
      problems_(std::move(problems)) {}

std::string render(const ConfigError& error) {
  std::string text;
  SourceLines sources;
  const auto& problems = error.problems();
  for (std::size_t i = 0; i < std::min(problems.size(), kMostShown); ++i) {
    const Problem& problem = problems[i];
    text += first_line(problem) + "\n";
    if (problem.place.line > 0)
      if (const std::string line = sources.line(problem.place); !line.empty()) text += excerpt(line, problem.place);
    if (!problem.hint.empty()) text += "  " + printable(problem.hint) + "\n";
  }
  if (problems.size() > kMostShown) text += fmt::format("and {} more problems\n", problems.size() - kMostShown);
  return text;
}

std::string render(const Placed<std::string>& warning) {
  return fmt::format("{}: warning: {}", where(warning.place), printable(warning.value));
}

std::string placed_text(const Placed<std::string>& warning) {
  return fmt::format("{}: {}", where(warning.place), printable(warning.value));
}

}  // namespace bisectd::configs
