#include "driver/trial/memory_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/trial/step_time.hpp"

namespace bisectd::driver {
namespace {

constexpr std::chrono::seconds kEvery{1};
constexpr std::size_t kFewest = 10;
constexpr double kWarm = 0.2, kGrows = 1.1;

std::string size_text(double bytes) {
  constexpr double kGiga = 1e9, kMega = 1e6;
  return bytes >= kGiga ? fmt::format("{:.2f} GB", bytes / kGiga) : fmt::format("{:.0f} MB", bytes / kMega);
}

}  // namespace

void MemoryWatch::take(launch::Clock::time_point now, std::optional<std::uint64_t> bytes) {
  next_ = now + kEvery;
  if (bytes) sizes_.push_back(static_cast<double>(*bytes));
}

std::optional<std::string> MemoryWatch::text() const {
  if (sizes_.size() < kFewest) return std::nullopt;
  const auto warm = sizes_.begin() + static_cast<std::ptrdiff_t>(kWarm * static_cast<double>(sizes_.size()));
  const std::ptrdiff_t count = sizes_.end() - warm;
  std::array<double, 4> parts{};
  for (std::ptrdiff_t i = 0; i < 4; ++i)
    parts[static_cast<std::size_t>(i)] = *median(std::vector<double>(warm + i * count / 4, warm + (i + 1) * count / 4));
  std::string text = fmt::format("memory: {} at most", size_text(std::ranges::max(sizes_)));
  if (std::ranges::is_sorted(parts) && parts.back() > kGrows * parts.front())
    text += fmt::format(", and it grows all the time, from {} to {}", size_text(parts.front()), size_text(parts.back()));
  return text;
}

}  // namespace bisectd::driver
