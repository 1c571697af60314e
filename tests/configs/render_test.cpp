// How problems look on the terminal.
#include <string>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string rendered(const Folder& folder, std::string_view bytes, const Place& at, const std::string& hint = "") {
  const auto file = folder.write("e.yaml", bytes);
  const std::string text = render(ConfigError({{{file.string(), at.line, at.column}, "wrong", hint}}));
  return text.substr(text.find("e.yaml"));
}

}  // namespace

TEST_CASE("a problem shows its line and a caret under the place") {
  const Folder folder;
  CHECK(rendered(folder, "a: 1\nbb: {c: 2}\n", {"", 2, 6}, "do better") ==
        "e.yaml:2:6: wrong\n"
        "  2 | bb: {c: 2}\n"
        "    |      ^\n"
        "  do better\n");
  CHECK(rendered(folder, "a: 1\n", {"", 0, 0}) == "e.yaml: wrong\n");
  CHECK(rendered(folder, "a: 1\r\n", {"", 1, 4}) == "e.yaml:1:4: wrong\n  1 | a: 1\n    |    ^\n");
  CHECK(rendered(folder, "a: 1\n", {"", 9, 1}) == "e.yaml:9:1: wrong\n");
}

TEST_CASE("the caret counts what the terminal shows") {
  const Folder folder;
  CHECK(rendered(folder, "损失: x\n", {"", 1, 9}) == "e.yaml:1:9: wrong\n  1 | 损失: x\n    |       ^\n");
  CHECK(rendered(folder, "\ta: x\n", {"", 1, 5}) == "e.yaml:1:5: wrong\n  1 |  a: x\n    |     ^\n");
  CHECK(rendered(folder, "\x1B: x\n", {"", 1, 4}) == "e.yaml:1:4: wrong\n  1 | \\x1b: x\n    |       ^\n");
  CHECK(rendered(folder, "a: 1\n", {"", 1, 50}) == "e.yaml:1:50: wrong\n  1 | a: 1\n    |     ^\n");
}

TEST_CASE("a long line is clipped around the place") {
  const Folder folder;
  const std::string text = rendered(folder, std::string(300, 'x') + "HERE" + std::string(300, 'y') + "\n", {"", 1, 301});
  const std::size_t line = text.find("1 | ");
  const std::size_t end = text.find('\n', line);
  CHECK(end - line < 115);
  CHECK(text.substr(line, 7) == "1 | ...");
  CHECK(text.substr(end - 3, 3) == "...");
  CHECK(text.find('^') - text.find('\n', end - 1) - 1 == 2 + text.find("HERE") - line);
}

TEST_CASE("control characters of messages and file names never reach the terminal") {
  const std::string text = render(ConfigError({{{"a\x1B[0m.yaml", 0, 0}, "b\x1B[0m", "c\x1B[0m"}}));
  CHECK(text == "a\\x1b[0m.yaml: b\\x1b[0m\n  c\\x1b[0m\n");
}

TEST_CASE("many problems are cut short and counted") {
  std::vector<Problem> many(30, Problem{{"f", 0, 0}, "wrong", ""});
  const std::string text = render(ConfigError(many));
  CHECK(std::count(text.begin(), text.end(), '\n') == 21);
  CHECK_THAT(text, Catch::Matchers::EndsWith("and 10 more problems\n"));
  CHECK(std::string(ConfigError(many).what()) == "f: wrong");
}

}  // namespace bisectd::configs
