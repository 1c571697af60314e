#include "reports/thin.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.hpp"

using namespace bisectd::reports;

namespace {

Line numbered(const std::vector<double>& values) {
  Line line{{}, values};
  for (std::size_t i = 0; i < values.size(); ++i) line.steps.push_back(static_cast<std::int64_t>(i));
  return line;
}

}  // namespace

TEST_CASE("a short curve stays as it is") {
  const Line line = numbered({1, 2, 3, 4});
  CHECK(thinned(line, 4).values == line.values);
  CHECK(thinned({}, 4).steps.empty());
}

TEST_CASE("a single spike and a single NaN survive thinning") {
  std::vector<double> values(10'000, 1.0);
  values[7777] = 50;
  values[1234] = std::numeric_limits<double>::quiet_NaN();
  const Line line = thinned(numbered(values), 100);
  CHECK(std::ranges::count(line.values, 50.0) == 1);
  CHECK(std::ranges::count_if(line.values, [](double value) { return std::isnan(value); }) == 1);
}

TEST_CASE("thinning keeps order, both ends of the range and the last point, and nothing new") {
  CHECK(rc::check("thinned", [](const std::vector<double>& values) {
    const std::size_t limit = *rc::gen::inRange<std::size_t>(4, 40);
    const Line whole = numbered(values), line = thinned(whole, limit);
    RC_ASSERT(line.steps.size() == line.values.size());
    RC_ASSERT(line.steps.size() <= std::max(limit + limit / 2 + 1, std::size_t{4}));
    RC_ASSERT(std::ranges::is_sorted(line.steps));
    for (std::size_t i = 0; i < line.steps.size(); ++i)
      RC_ASSERT(line.values[i] == values[static_cast<std::size_t>(line.steps[i])]);
    if (values.empty()) return;
    RC_ASSERT(std::ranges::max(line.values) == std::ranges::max(values));
    RC_ASSERT(std::ranges::min(line.values) == std::ranges::min(values));
    RC_ASSERT(line.steps.back() == whole.steps.back());
  }));
}
