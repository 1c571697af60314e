#include "driver/read/names.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace bisectd::driver::read {
namespace {

constexpr std::array<std::string_view, 1> kGroups{"name"};
constexpr std::array<std::string_view, 1> kOptionalGroups{"detail"};

}  // namespace

NameCounter::NameCounter(const std::vector<NamePattern>& patterns) {
  for (const NamePattern& pattern : patterns)
    watched_.push_back(
        {.pattern = Pattern(pattern.text, kGroups, kOptionalGroups), .text = pattern.text, .counts = {}, .key = {}});
}

void NameCounter::feed(const Line& line) {
  for (Watched& watched : watched_) {
    const auto groups = watched.pattern.match(line.text);
    if (groups.empty() || groups[0].empty()) continue;
    watched.key.assign(groups[0]);
    watched.key += '\0';
    watched.key += groups[1];
    if (const auto known = watched.counts.find(watched.key); known != watched.counts.end()) ++known->second;
    else if (watched.counts.size() < kMostNames) watched.counts.emplace(watched.key, 1);
    else watched.too_many = true;
  }
}

std::vector<NameCounts> NameCounter::counts() const {
  std::vector<NameCounts> all;
  for (const Watched& watched : watched_) {
    NameCounts& counts = all.emplace_back();
    for (const auto& [key, count] : watched.counts) {
      const std::size_t end = key.rfind('\0');
      counts[{key.substr(0, end), key.substr(end + 1)}] = count;
    }
  }
  return all;
}

std::vector<std::string> NameCounter::problems() const {
  std::vector<std::string> problems;
  for (const Watched& watched : watched_)
    if (watched.too_many)
      problems.push_back(fmt::format("the pattern '{}' finds more than {} names: it matches more than it should",
                                     watched.text, kMostNames));
  return problems;
}

std::vector<Needed> NameCounter::needed() const {
  std::vector<Needed> all;
  for (const Watched& watched : watched_) all.push_back(watched.pattern.needed());
  return all;
}

}  // namespace bisectd::driver::read
