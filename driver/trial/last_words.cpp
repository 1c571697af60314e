#include "driver/trial/last_words.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include "driver/read/line.hpp"

namespace bisectd::driver {
namespace {

constexpr std::streamoff kEnd_bytes = 64 * 1024;
constexpr std::size_t kShown_bytes = 300;
constexpr std::string_view kTraceback = "Traceback (most recent call last)";

/// The lines at the end of a file, clean, without what a carriage return has overwritten.
std::vector<std::string> last_lines(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? std::streamoff(in.tellg()) : 0;
  in.seekg(std::max<std::streamoff>(0, size - kEnd_bytes));
  std::vector<std::string> lines;
  std::string scratch;
  for (std::string line; std::getline(in, line);) {
    line.resize(line.find_last_not_of("\r \t") + 1);  // none: npos + 1
    const std::size_t overwritten = line.rfind('\r');
    lines.emplace_back(read::cleaned(std::string_view(line).substr(overwritten + 1), scratch));  // likewise
  }
  return lines;
}

/// torchrun, accelerate, deepspeed and multiprocessing raise these beside the exception of the process that they started.
bool is_of_a_launcher(std::string_view exception) {
  constexpr std::array<std::string_view, 4> kTheirs{"ChildFailedError", "CalledProcessError", "ProcessRaisedException",
                                                    "ProcessExitedException"};
  return std::ranges::any_of(kTheirs, [&](std::string_view name) { return exception.find(name) != exception.npos; });
}

/// Lines of one rank begin with its name ("[rank1]: "), and other ranks may write between them.
std::string_view exception_behind(const std::vector<std::string>& lines, std::size_t traceback) {
  const std::string_view head = lines[traceback];
  const std::string_view rank = head.substr(0, head.find(kTraceback));
  for (std::size_t i = traceback + 1; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (!line.starts_with(rank)) continue;
    line.remove_prefix(rank.size());
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') return line;
  }
  return {};
}

std::string_view exception_in(const std::vector<std::string>& lines) {
  std::string_view last;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(kTraceback) == std::string::npos) continue;
    const std::string_view found = exception_behind(lines, i);
    if (!found.empty() && (last.empty() || is_of_a_launcher(last) || !is_of_a_launcher(found))) last = found;
  }
  return last;
}

bool names_an_error(std::string line) {
  std::ranges::transform(line, line.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  constexpr std::array<std::string_view, 4> kWords{"error", "exception", "fatal", "abort"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return line.find(word) != line.npos; });
}

}  // namespace

std::string last_words(const std::filesystem::path& stdout_file, const std::filesystem::path& stderr_file,
                       bool died_at_once) {
  const std::vector<std::string> said = last_lines(stderr_file), printed = last_lines(stdout_file);
  std::string_view words = exception_in(said);
  if (words.empty()) words = exception_in(printed);
  const auto last = [&](auto is_meant) {
    const auto line = std::find_if(said.rbegin(), said.rend(), is_meant);
    if (words.empty() && line != said.rend()) words = *line;
  };
  last(names_an_error);
  if (died_at_once) last([](const std::string& line) { return !line.empty(); });
  return read::for_display(words, kShown_bytes);
}

}  // namespace bisectd::driver
