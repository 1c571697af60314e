// A user's patterns: what they match, what a line must contain for it, and numbers that the user forgot.
#include "driver/read/pattern.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>
#include <re2/re2.h>

#include <array>
#include <cmath>

#include "tests/catch.hpp"
#include "tests/read/sample.hpp"

using namespace bisectd::driver::read;
using test::pattern_metric;
using test::Read;

namespace {

constexpr std::array<std::string_view, 1> kName{"name"};

}  // namespace

TEST_CASE("a match through the literal is the match of RE2 itself") {
  for (const char* text : {R"(ab(?P<name>c?)\b)", R"(\bab(?P<name>c?))", R"(\bx? (?P<name>ab))", R"(\Ba?b(?P<name>c?))",
                           R"(ab(?P<name>c?)x?\b)", R"(^ab(?P<name>c?))", R"(ab(?P<name>c?)$)", R"((?P<name>ab|abab)c)",
                           R"((?P<name>aba?)b)", R"((?i)ab(?P<name>C?))", R"((?m)^ab(?P<name>c?))"}) {
    Pattern pattern(text, kName, {});
    const re2::RE2 plain(text);
    for (const char* line : {"ab", "abc", "xab abc", "xabab abc", "ababc", "abab", "AB abc", "ba", "xabc\nabc", "c ab"}) {
      CAPTURE(text, line);
      std::string expected;
      const bool matches = re2::RE2::PartialMatch(line, plain, &expected);
      const auto groups = pattern.match(line);
      REQUIRE(groups.empty() != matches);
      if (matches) CHECK(groups[0] == expected);
    }
  }
}

TEST_CASE("a pattern of two halves around .* matches as RE2 itself does") {
  constexpr std::array<std::string_view, 1> kSecond{"v"};
  for (const char* text : {R"(at (?P<name>\d+),.* l: (?P<v>\S+),)", R"(at (?P<name>\d+).* l: (?P<v>\S+))",
                           R"(at (?P<name>\d*).*? l: (?P<v>\S+))", R"(at (?P<name>\d+?).*\d l: (?P<v>\w))",
                           R"(at (?P<name>\w).* l: (?P<v>\S+).* l: 3)", R"(at (?P<name>\d*)(?: x)?.* l: (?P<v>\d+)$)",
                           R"(at [.*](?P<name>\w).* l: (?P<v>[^],]+))", R"(at (?P<name>\d)|x.* l: (?P<v>\S+))",
                           R"(at (?P<name>\d).*\b l: (?P<v>\d))", R"(at (?:(?P<name>\d+).* l: )(?P<v>\d))",
                           R"(at (?P<name>\d+)(?:,| ,).* l: (?P<v>\d+))", R"((?s)at (?P<name>\d).* l: (?P<v>\S+))",
                           R"(at (?P<name>\d{1,2}).* l: (?P<v>\d))", R"((?P<name>.*).* l: (?P<v>\d))",
                           R"(^.*at (?P<name>\d+).* l: (?P<v>\S+))", R"((?P<name>\d+),.* l: (?P<v>\S+))",
                           R"((?P<name>\d).* l: .* l: .* l: (?P<v>\S+))", R"(at \[(?P<name>\d).*\] l: (?P<v>\d))"}) {
    Pattern pattern(text, kName, kSecond);
    const re2::RE2 plain(text);
    for (const char* line : {"at 12, l: 3, m: 4, l: 5, l: 6", "at 12 l: 3", "at 1, l: 3, at 2, l: 4,", "at 12 l: 3\n l: 4",
                             "at 12,", " l: 1, at 12,", "at .x l: 7", "at *y] l: 8,9", "at 1 x l: 42", "at 12 , l: 3 l: x",
                             "xat 7 l: 3 l: 3", "at [5] l: 1 ] l: 2", "at 123 l: 3 l: 33"}) {
      CAPTURE(text, line);
      std::string name, value;
      const bool matches = re2::RE2::PartialMatch(line, plain, &name, &value);
      const auto groups = pattern.match(line);
      REQUIRE(groups.empty() != matches);
      if (!matches) continue;
      CHECK(groups[0] == name);
      CHECK(groups[1] == value);
    }
  }
}

TEST_CASE("patterns that are easily misread match as RE2 itself does") {
  constexpr std::array<std::string_view, 1> kValue{"v"};
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"(x{1\b}y (?P<v>\d))", "x{1}y 3"},
      {R"(loss (\b?:abc) (?P<v>\d))", "loss :abc 3"},
      {R"(\0\b12ab(?P<v>\d))", std::string("\0", 1) + "12ab3"},
      {R"(x[[:alpha:])]ab|cd[[:alpha:](](?P<g>\d).*ef(?P<v>\d))", "xaab ef1"},
      {R"(x[[:alpha:][]|y[]](?P<g>\d).*ef(?P<v>\d))", "xa ef1"},
      {R"(a\C.*bc(?P<v>\d))",
       "a\xc3\xa9"
       "bc1"},
      {R"(loss\b{2} (?P<v>\d))", "loss 1"},
      {R"(a?\baab (?P<v>\d))", "xaab 1"},
      {R"(ab: (?P<v>\d)|\bab; \d)", "xab; 1 ab: 2"},
      {R"(ab(?P<v>\d))", "abababababababababababababababababababababababab7ab8"},
      {R"(ab(?P<v>\d).*c)", "abababababababababababababababababababababababab7ab8c"},
  };
  for (const auto& [text, line] : cases) {
    CAPTURE(text, line);
    Pattern pattern(text, kValue, {});
    const re2::RE2 plain(text);
    std::vector<re2::StringPiece> pieces(1 + static_cast<std::size_t>(plain.NumberOfCapturingGroups()));
    const bool matches =
        plain.Match(line, 0, line.size(), re2::RE2::UNANCHORED, pieces.data(), static_cast<int>(pieces.size()));
    const auto groups = pattern.match(line);
    REQUIRE(groups.empty() != matches);
    if (matches) CHECK(groups[0].data() == pieces[static_cast<std::size_t>(plain.NamedCapturingGroups().at("v"))].data());
  }
}

TEST_CASE("any pattern with any number of .* in it matches any line as RE2 itself does") {
  using Texts = std::vector<std::string>;
  const auto piece = rc::gen::elementOf(Texts{
      ".*", ".*",  ".*", "ab", "ab", " l: ", "a",     "(#\\d+)", "(#\\w*)", "(#a|ab)", "(?:b|l: )", "[^a]",    "(#[ab]*?)",
      ",",  "\\b", "^",  "$",  "x?", ".*?",  "(#.*)", "(#.)",    "b{1,2}",  "|",       "a?\\baab",  "a*\\baab"});
  const auto text = rc::gen::elementOf(
      Texts{"ab", "ab", " l: ", " l: ", "a", "b", "12", "7", ",", " ", "x", "\n", "\xc3\xa4", std::string(1, '\0')});
  CHECK(rc::check([&] {
    std::string written;
    Texts names;
    for (std::string each : *rc::gen::container<Texts>(piece)) {
      if (each.starts_with("(#"))
        each.replace(1, 1, fmt::format("?P<{}>", names.emplace_back(fmt::format("g{}", names.size()))));
      written += each;
    }
    const re2::RE2 plain(written);
    if (!plain.ok() || plain.Match("", 0, 0, re2::RE2::UNANCHORED, nullptr, 0)) return;
    const std::vector<std::string_view> groups(names.begin(), names.end());
    Pattern pattern(written, groups, {});
    for (int lines = 0; lines < 20; ++lines) {
      std::string line;
      for (const std::string& each : *rc::gen::container<Texts>(text)) line += each;
      std::vector<re2::StringPiece> expected(1 + names.size());
      const bool matches =
          plain.Match(line, 0, line.size(), re2::RE2::UNANCHORED, expected.data(), static_cast<int>(expected.size()));
      RC_ASSERT(pattern.fits(line) == matches);
      const auto found = pattern.match(line);
      for (std::size_t i = 0; i < found.size(); ++i) {
        RC_ASSERT(found[i].data() == expected[i + 1].data());
        RC_ASSERT(found[i].size() == expected[i + 1].size());
      }
    }
  }));
}

TEST_CASE("a pattern that backtracking engines die of is read at once") {
  const std::string many(28, 'a');
  Read log(pattern_metric(R"(^(?:a+)+ (?P<value>\d+)$)"), many + "! 1\n" + many + " 2\n");
  CHECK(log.values() == std::vector<double>{2});
}

TEST_CASE("a user's pattern with and without a step") {
  Read with(pattern_metric(R"(it (?P<step>\d+) .*L=(?P<value>[0-9.]+))"), "it 10 L=0.5\nit 20 lr 1 L=0.25\nother\n");
  CHECK(with.steps() == std::vector<std::int64_t>{10, 20});
  CHECK(with.values() == std::vector<double>{0.5, 0.25});
  Read without(pattern_metric("L=(?P<value>[0-9.]+)"), "L=0.5\nL=0.25\n");
  CHECK(without.steps() == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("numbers that the user forgot are values, other words are wrong lines") {
  Read log(pattern_metric("L=(?P<value>[0-9.]+)"), "L=0.5\nL=nan\nL=-inf\nL=-1.5\nL=oops\n");
  const auto values = log.values();
  REQUIRE(values.size() == 4);
  CHECK(std::isnan(values[1]));
  CHECK(std::isinf(values[2]));
  CHECK(values[3] == -1.5);
  REQUIRE(log.reader.wrong_lines().size() == 1);
  CHECK(log.reader.wrong_lines()[0].number == 5);
  CHECK_THAT(log.reader.wrong_lines()[0].message, Catch::Contains("'oops' is not a number"));
}

TEST_CASE("a pattern that takes only a part of a number is found out") {
  Read log(pattern_metric(R"(L=(?P<value>\d+\.\d+))"), "L=1.5e-3\n");
  CHECK(log.values().empty());
  REQUIRE(log.reader.wrong_lines().size() == 1);
  CHECK_THAT(log.reader.wrong_lines()[0].message, Catch::Contains("only '1.5' of the number '1.5e-3'"));
}

TEST_CASE("a value whose step is no number is a wrong line") {
  const Read log(pattern_metric(R"(it (?P<step>\w+) L=(?P<value>\S+))"), "it ten L=0.5\nit 99999999999999999999 L=1\n");
  CHECK(log.reader.wrong_line_count() == 2);
}

TEST_CASE("a bad pattern of a metric is refused") {
  CHECK_THROWS_WITH(Read(pattern_metric("L=(\\d+)"), ""), Catch::Contains("has no group (?P<value>...)"));
  CHECK_THROWS_WITH(Read(pattern_metric("L=(?P<value>[)"), ""), Catch::Contains("is not RE2 syntax"));
}
