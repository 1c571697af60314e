// Which lines of a block the sieve hands on.
#include "driver/read/sieve.hpp"

#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace bisectd::driver::read;

namespace {

std::vector<std::string> picked(const std::vector<Literal>& literals, std::string_view text) {
  Sieve sieve;
  sieve.add({.literals = literals});
  const Block block{.text = text};
  std::vector<std::string> lines;
  sieve.pick(block,
             [&](const Line& line) { lines.push_back(std::to_string(line.number()) + ":" + std::string(line.text)); });
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("lines with a literal come once, in order, however many literals they hold") {
  CHECK(picked({{"loss"}, {"op"}}, "loss op loss\nnothing\nop\nlos s\nloss\n") == Lines{"1:loss op loss", "3:op", "5:loss"});
}

TEST_CASE("a picked line begins after a carriage return and ends before one") {
  CHECK(picked({{"loss"}}, " 10%\rloss 1\r 20%\r\nloss 2\r\n") == Lines{"1:loss 1", "2:loss 2"});
}

TEST_CASE("case is ignored only where it is asked for") {
  CHECK(picked({{"run finish"}}, "Run Finish\nrun finish\n") == Lines{"2:run finish"});
  CHECK(picked({{"run finish", true}}, "Run Finish\nrun finish\nrUN fINISh\n").size() == 3);
}

TEST_CASE("a literal that colours split is still found") {
  CHECK(picked({{"loss"}}, "lo\x1b[1mss\x1b[0m 1\nplain\n") == Lines{"1:loss 1"});
}

TEST_CASE("a literal at the very end and of one byte") {
  CHECK(picked({{"z"}}, "a\nz") == Lines{"2:z"});
  CHECK(picked({{"loss"}}, "los") == Lines{});
}

TEST_CASE("without literals nothing is picked, with any line all are") {
  CHECK(picked({}, "a\nb\n") == Lines{});
  Sieve sieve;
  sieve.add({.literals = {{"loss"}}});
  sieve.add({.any_line = true});
  const Block block{.text = "a\n\nb\n"};
  int lines = 0;
  sieve.pick(block, [&](const Line&) { ++lines; });
  CHECK(lines == 2);
}
