// Names counted in the log lines that Paddle really prints.
#include "driver/read/names.hpp"

#include "tests/catch.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd::driver::read;
using test::for_each_line_of;

namespace {

std::vector<NameCounts> count(const std::vector<NamePattern>& patterns, std::string_view log) {
  NameCounter counter(patterns);
  for_each_line_of(log, [&](const Line& line) { counter.feed(line); });
  return counter.counts();
}

constexpr const char* kRan = R"(^(?P<name>\w+) kernel run finish\.)";
constexpr const char* kFallBack = R"(missing npu kernel: (?P<name>\w+), expected_kernel_key:\(npu, .+, (?P<detail>\w+)\), )"
                                  R"(fall[a-z]* ?(?:back|backing) to CPU)";

}  // namespace

TEST_CASE("names are counted by pattern, name and detail") {
  const auto counts = count({{kRan}, {kFallBack}},
                            "conv2d kernel run finish.\n"
                            "pad3d kernel run finish.\n"
                            "I0728 11:21:42.250061  5275 kernel_factory.cc:289] missing npu kernel: pad3d, "
                            "expected_kernel_key:(npu, Undefined(AnyLayout), float32), fallbacking to CPU one!\n"
                            "I0728 11:21:42.250061  5275 kernel_factory.cc:289] missing npu kernel: pad3d, "
                            "expected_kernel_key:(npu, Undefined(AnyLayout), bool), fallbacking to CPU one!\n"
                            "I0728 11:21:42.250061  5275 kernel_factory.cc:289] missing CPU kernel: pad3d, "
                            "expected_kernel_key:(cpu, Undefined(AnyLayout), bool), fallbacking to CPU one!\n"
                            "conv2d kernel run finish.\n");
  REQUIRE(counts.size() == 2);
  CHECK(counts[0] == NameCounts{{{"conv2d", ""}, 2}, {{"pad3d", ""}, 1}});
  CHECK(counts[1] == NameCounts{{{"pad3d", "bool"}, 1}, {{"pad3d", "float32"}, 1}});
}

TEST_CASE("a pattern counts once in a line, at its leftmost match") {
  CHECK(count({{R"(op (?P<name>\w+))"}}, "op a op b\nstop c op d\n")[0] == NameCounts{{{"a", ""}, 1}, {{"c", ""}, 1}});
  CHECK(count({{R"(\bop (?P<name>\w+))"}}, "stop c op d\n")[0] == NameCounts{{{"d", ""}, 1}});
  CHECK(count({{R"(^op (?P<name>\w+))"}}, "stop c op d\nop e\n")[0] == NameCounts{{{"e", ""}, 1}});
}

TEST_CASE("an empty name is no name") { CHECK(count({{R"(op '(?P<name>\w*)')"}}, "op ''\n")[0].empty()); }

TEST_CASE("a pattern that cannot work is refused with the reason") {
  CHECK_THROWS_WITH(NameCounter({{"kernel (\\w+)"}}), Catch::Contains("has no group (?P<name>...)"));
  CHECK_THROWS_WITH(NameCounter({{"(?P<name>\\w+"}}), Catch::Contains("is not RE2 syntax"));
  CHECK_THROWS_WITH(NameCounter({{"(?P<name>\\w+)(?=x)"}}), Catch::Contains("is not RE2 syntax"));
  CHECK_THROWS_WITH(NameCounter({{"(?P<name>\\w*)"}}), Catch::Contains("matches an empty text"));
}

TEST_CASE("endless new names are cut off and said") {
  NameCounter counter({{R"(id (?P<name>\d+))"}});
  Block block{.text = "x"};
  for (std::size_t i = 0; i < NameCounter::kMostNames + 10; ++i) {
    const std::string text = "id " + std::to_string(i);
    counter.feed({.text = text, .block = &block});
  }
  CHECK(counter.counts()[0].size() == NameCounter::kMostNames);
  REQUIRE(counter.problems().size() == 1);
  CHECK_THAT(counter.problems()[0], Catch::Contains("more than 100000 names"));
}
