#include "driver/read/time_elsewhere.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::array<std::string_view, 1> kName{"name"};
constexpr std::array<std::string_view, 1> kDetail{"detail"};
constexpr std::array<std::string_view, 2> kStamp{"time", "thread"};
constexpr double kDay = 24 * 60 * 60;

/// "12:25:37.090591" in seconds since midnight.
std::optional<double> seconds_of_day(std::string_view time) {
  double seconds = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const std::size_t colon = time.find(':');
    const auto part = number(time.substr(0, colon));
    if (!part || (colon == std::string_view::npos) != (parts == 2)) return std::nullopt;
    seconds = seconds * 60 + *part;
    time.remove_prefix(colon == std::string_view::npos ? time.size() : colon + 1);
  }
  return seconds;
}

}  // namespace

TimeElsewhere::TimeElsewhere(const std::vector<NamePattern>& names, const std::string& stamp, const std::string& during)
    : stamp_(stamp, kStamp) {
  for (const NamePattern& name : names) names_.emplace_back(name.text, kName, kDetail);
  if (!during.empty()) during_.emplace(during);
}

void TimeElsewhere::feed(const Line& line) {
  const auto stamp = stamp_.match(line.text);
  if (stamp.empty()) return;
  const auto now = seconds_of_day(stamp[0]);
  if (!now) return;
  const std::string thread(stamp[1]);
  if (const auto running = running_.find(thread); running != running_.end()) {
    if (during_ && during_->fits(line.text)) return;
    const double took = *now - running->second.since;
    seconds_[running->second.name] += took < 0 ? took + kDay : took;
    running_.erase(running);
  }
  for (Pattern& pattern : names_) {
    const auto groups = pattern.match(line.text);
    if (groups.empty() || groups[0].empty()) continue;
    running_.insert_or_assign(thread, Running{{std::string(groups[0]), std::string(groups[1])}, *now});
    break;
  }
}

}  // namespace bisectd::driver::read
