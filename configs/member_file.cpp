#include "configs/member_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "configs/file_bytes.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF", kWhite = " \t\r";

std::string bytes_of(const Placed<std::string>& path, const std::string& file, Problems& problems) {
  try {
    std::string bytes = read_bytes(file);
    if (bytes.size() <= kLargestFile_bytes) return bytes;
    problems.add(path.place, fmt::format("`{}` is larger than 1 MiB", printable(file)));
  } catch (const std::system_error& error) {
    problems.add(path.place, fmt::format("`{}` cannot be read: {}", printable(file), error.code().message()));
  }
  return {};
}

}  // namespace

std::vector<Placed<std::string>> read_member_file(const Placed<std::string>& path, Problems& problems) {
  const std::string file = path_of(path);
  const std::size_t before = problems.size();
  const std::string bytes = bytes_of(path, file, problems);
  if (problems.size() > before) return {};
  std::string_view rest = bytes;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<Placed<std::string>> names;
  std::map<std::string_view, int> lines;
  for (int line = 1; !rest.empty(); ++line) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    const std::size_t first = text.find_first_not_of(kWhite);
    if (first == std::string_view::npos || text[first] == '#') continue;
    const std::string_view name = text.substr(first, text.find_last_not_of(kWhite) - first + 1);
    names.push_back({std::string(name), {file, line, static_cast<int>(first) + 1}});
    if (const auto [earlier, is_new] = lines.emplace(name, line); !is_new)
      problems.add(names.back().place, fmt::format("{} is named twice", in_quotes(name)),
                   fmt::format("it is first named in line {}", earlier->second));
    if (names.size() > kMostMembers) {
      problems.add(path.place, fmt::format("`{}` names more than {} members", printable(file), kMostMembers));
      return {};
    }
  }
  if (names.empty())
    problems.add(path.place, fmt::format("`{}` names nothing", printable(file)),
                 "one name a line; lines that start with # do not count");
  return names;
}

}  // namespace bisectd::configs
