// Which lines of a block the sieve hands on.
#include "driver/read/sieve.hpp"

#include <rapidcheck.h>

#include <algorithm>
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

TEST_CASE("a picked line begins after a carriage return and ends before one") {
  CHECK(picked({{"loss"}}, " 10%\rloss 1\r 20%\r\nloss 2\r\n") == Lines{"1:loss 1", "2:loss 2"});
}

TEST_CASE("a literal that colours split is still found") {
  CHECK(picked({{"loss"}}, "lo\x1b[1mss\x1b[0m 1\nplain\n") == Lines{"1:loss 1"});
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

TEST_CASE("of any text just the lines with a literal are picked, whatever the lengths of the literals") {
  using Gen = rc::Gen<std::string>;
  const auto join = [](const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += part;
    return all;
  };
  // Few different bytes, so that literals overlap, repeat themselves and share their grams.
  const Gen literal = rc::gen::suchThat(
      rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "ab", "z", "abab ")),
                   join),
      [](const std::string& text) { return !text.empty() && text.size() <= 40; });
  CHECK(rc::check([&] {
    auto literals = *rc::gen::nonEmpty(rc::gen::container<Lines>(literal));
    const bool ignore_case = *rc::gen::arbitrary<bool>();
    const Gen piece =
        rc::gen::oneOf(literal, rc::gen::elementOf(literals),
                       rc::gen::element<std::string>("\n", "\n", "\r", "\n\n", "A", "aB", std::string(1, '\0')));
    const std::string text = *rc::gen::map(rc::gen::container<Lines>(piece), join);
    std::vector<Literal> wanted;
    for (const std::string& each : literals) wanted.push_back({each, ignore_case});
    Lines expected;
    for_each_line({.text = text}, [&](const Line& line) {
      for (std::size_t at = 0; at < line.text.size(); ++at)
        if (std::ranges::any_of(wanted, [&](const Literal& each) { return holds_at(line.text, at, each); }))
          return expected.push_back(std::to_string(line.number()) + ":" + std::string(line.text));
    });
    RC_ASSERT(picked(wanted, text) == expected);
  }));
}
