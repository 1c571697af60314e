#include "driver/trial/memory_watch.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

/// Looks a second apart, of so many megabytes each.
std::optional<std::string> seen(const std::vector<double>& megabytes) {
  MemoryWatch watch;
  launch::Clock::time_point now{};
  for (const double size : megabytes) {
    CHECK(watch.due(now));
    watch.take(now, static_cast<std::uint64_t>(size * 1e6));
    CHECK(!watch.due(now + std::chrono::milliseconds{900}));
    now += std::chrono::seconds{1};
  }
  return watch.text();
}

std::vector<double> from(double first, double step, std::size_t count) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(first + step * static_cast<double>(i));
  return sizes;
}

}  // namespace

TEST_CASE("memory that grows all the time is told, with its sizes") {
  CHECK(seen(from(1000, 20, 50)) == "memory: 1.98 GB at most, and it grows all the time, from 1.29 GB to 1.89 GB");
}

TEST_CASE("memory that fills once, or goes up and down, does not grow") {
  CHECK(seen(from(500, 0, 30)) == "memory: 500 MB at most");
  std::vector<double> fills = from(100, 100, 10);
  fills.resize(60, 1000);
  CHECK(seen(fills) == "memory: 1.00 GB at most");
  std::vector<double> saw;
  for (int i = 0; i < 60; ++i) saw.push_back(500 + i % 20 * 20);
  CHECK(seen(saw) == "memory: 880 MB at most");
}

TEST_CASE("a few looks tell nothing") {
  CHECK(seen(from(500, 10, 9)) == std::nullopt);
  MemoryWatch elsewhere;
  for (int i = 0; i < 20; ++i) elsewhere.take(launch::Clock::time_point{} + std::chrono::seconds{i}, std::nullopt);
  CHECK(elsewhere.text() == std::nullopt);
}

}  // namespace bisectd::driver
