#include "driver/read/names.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <unordered_map>

#include "driver/read/pattern.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::array<std::string_view, 1> kGroups{"name"};
constexpr std::array<std::string_view, 1> kOptionalGroups{"detail"};

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

struct NameCounter::Watched {
  explicit Watched(const NamePattern& written) : pattern(written.text, kGroups, kOptionalGroups), text(written.text) {}

  Pattern pattern;
  std::string text;
  /// By name and detail with a NUL between them: one look-up without a copy for the many lines that repeat.
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> counts;
  std::string key;
  bool too_many = false;
};

NameCounter::NameCounter(const std::vector<NamePattern>& patterns) {
  for (const NamePattern& pattern : patterns) watched_.emplace_back(pattern);
}

NameCounter::~NameCounter() = default;
NameCounter::NameCounter(NameCounter&&) noexcept = default;
NameCounter& NameCounter::operator=(NameCounter&&) noexcept = default;

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
