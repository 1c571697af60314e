#include "driver/loop/ladders.hpp"

#include "tests/catch.hpp"

using bisectd::driver::widest_window;
using bisectd::strategies::Verdict;

namespace {

std::vector<Verdict> verdicts(const std::string& letters) {
  std::vector<Verdict> result;
  for (const char c : letters)
    result.push_back(c == 'p'   ? Verdict::pass
                     : c == 'f' ? Verdict::fail
                     : c == '?' ? Verdict::inconclusive
                                : Verdict::unresolved);
  return result;
}

std::string found(const std::string& letters) {
  const auto window = widest_window(verdicts(letters));
  return window ? std::to_string(window->first) + "-" + std::to_string(window->last) + " " + std::to_string(window->middle())
                : "none";
}

}  // namespace

TEST_CASE("the widest stretch of passes and its middle") {
  CHECK(found("fppppf") == "1-4 3");
  CHECK(found("ppp") == "0-2 1");
  CHECK(found("fpf") == "1-1 1");
  CHECK(found("ffx?") == "none");
  CHECK(found("") == "none");
}

TEST_CASE("what does not pass ends a stretch; of two as wide the higher") {
  CHECK(found("pp?pp") == "3-4 4");
  CHECK(found("pppxpp") == "0-2 1");
}
