#include "reports/result_lines.hpp"

#include "reports/escape.hpp"
#include "tests/catch.hpp"

using namespace bisectd::reports;
using bisectd::strategies::Verdict;

namespace {

Ladder ladder(std::vector<std::pair<const char*, Verdict>> values, std::size_t first, std::size_t last, std::size_t middle) {
  Ladder result{.family = "scale", .window = PassingWindow{first, last, middle}};
  for (const auto& [value, verdict] : values) result.rungs.push_back({.value = value, .verdict = verdict});
  return result;
}

constexpr auto kPass = Verdict::pass, kFail = Verdict::fail;

}  // namespace

TEST_CASE("a ladder in one sentence") {
  CHECK(ladder_sentence(ladder({{"16", kFail}, {"64", kPass}, {"256", kPass}, {"1024", kPass}}, 1, 3, 2), plain) ==
        "scale passes by itself from 64 to 1024; 256 is the middle of that window.");
}

TEST_CASE("values that pass apart from the window are no part of it, and that is said") {
  CHECK(ladder_sentence(ladder({{"16", kPass}, {"64", kPass}, {"256", kFail}, {"1024", kPass}, {"dynamic", kPass}}, 3, 3, 3),
                        plain) ==
        "scale passes by itself with 1024. It passes with dynamic, too. It passes "
        "with 16, 64, too, but not with all values between: some of these may pass by chance.");
}
