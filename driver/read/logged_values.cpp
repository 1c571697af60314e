#include "driver/read/logged_values.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "driver/read/follow.hpp"
#include "driver/read/pattern.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

std::vector<std::string> logged_values(std::span<const std::filesystem::path> files, const std::string& pattern,
                                       std::size_t most, const std::string& after) {
  constexpr std::array<std::string_view, 1> kGroups{"value"};
  Pattern compiled(pattern, kGroups);
  Sieve sieve;
  sieve.add(compiled.needed());
  std::optional<Pattern> opening;
  if (!after.empty()) sieve.add(opening.emplace(after).needed());
  bool open = false;
  std::vector<std::string> values;
  const auto take = [&](const Line& line) {
    if (!open) {
      open = opening->fits(line.text);
      return;
    }
    const auto groups = compiled.match(line.text);
    if (groups.empty() || values.size() >= most) return;
    if (std::string value(groups.front()); std::ranges::find(values, value) == values.end())
      values.push_back(std::move(value));
  };
  for (const std::filesystem::path& file : files) {
    open = !opening;
    Follower follower(file);
    follower.finish([&](const Block& block) { sieve.pick(block, take); });
  }
  return values;
}

}  // namespace bisectd::driver::read
