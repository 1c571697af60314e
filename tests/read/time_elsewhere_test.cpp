#include "driver/read/names.hpp"

#include <catch2/catch.hpp>

using namespace bisectd::driver::read;

namespace {

/// Of a log "TIME THREAD text", in milliseconds.
std::map<std::string, int> milliseconds_of(const std::vector<std::string>& log) {
  TimeElsewhere time({{R"(missing (?P<name>\w+) (?P<detail>\w+))"}, {R"(missing (?P<name>\w+))"}},
                     R"(^(?P<time>\S+) (?P<thread>\d+) )", "copying");
  const Block block;
  for (const std::string& text : log) time.feed({.text = text, .block = &block});
  std::map<std::string, int> milliseconds;
  for (const auto& [found, seconds] : time.seconds())
    milliseconds[found.name + found.detail] = static_cast<int>(seconds * 1000 + 0.5);
  return milliseconds;
}

using Said = std::map<std::string, int>;

}  // namespace

TEST_CASE("time elsewhere: up to the next line of the thread, copies included") {
  CHECK(milliseconds_of({"10:00:00.000 1 missing pad f32", "10:00:00.100 1 copying", "no stamp", "10:00:00.200 2 other",
                         "10:00:00.300 1 ended", "10:00:09.000 1 later"}) == Said{{"padf32", 300}});
  CHECK(milliseconds_of({"10:00:00.000 1 missing pad f32", "10:00:00.050 1 missing gelu", "10:00:00.250 1 x",
                         "10:00:01.000 1 missing pad f32", "10:00:01.010 1 x"}) == Said{{"gelu", 200}, {"padf32", 60}});
}

TEST_CASE("time elsewhere: threads, midnight, a log that is cut") {
  CHECK(milliseconds_of({"23:59:59.900 1 missing a", "23:59:59.950 2 missing b", "00:00:00.100 1 x", "00:00:00.450 2 x"}) ==
        Said{{"a", 200}, {"b", 500}});
  CHECK(milliseconds_of({"10:00:00.000 1 missing a"}).empty());
  CHECK(milliseconds_of({"10:00 1 missing a", "x:y:z 1 b", "10:00:00 1 missing b", "1:2:3:4 1 c", "10:00:01 1 d"}) ==
        Said{{"b", 1000}});
}
