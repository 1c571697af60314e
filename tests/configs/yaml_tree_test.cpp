// What YAML and yaml-cpp let through, and this loader does not.
#include <string>

#include "configs/yaml_tree.hpp"

#include "configs/file_bytes.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

struct Parse {
  explicit Parse(std::string_view bytes) {
    Problems problems;
    root = parse_yaml(bytes, "f", problems);
    try {
      problems.throw_if_any("f");
    } catch (const ConfigError& error) {
      const Problem& problem = error.problems().front();
      first = std::to_string(problem.place.line) + ":" + std::to_string(problem.place.column) + ": " + problem.message;
      hint = problem.hint;
      count = error.problems().size();
    }
  }
  std::optional<Value> root;
  std::string first;
  std::string hint;
  std::size_t count = 0;
};

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("a document becomes a tree with 1-based places") {
  const Parse parse("a: 1\nb:\n  - 'x'\n  - {c: yes}\n");
  REQUIRE(parse.first == "");
  REQUIRE(parse.root);
  REQUIRE(parse.root->entries.size() == 2);
  CHECK(parse.root->entries[0].value.text == "1");
  CHECK_FALSE(parse.root->entries[0].value.quoted);
  const Value& list = parse.root->entries[1].value;
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].quoted);
  CHECK(list.items[0].place.line == 3);
  CHECK(list.items[0].place.column == 5);
  CHECK(list.items[1].entries[0].place.column == 6);
  CHECK(list.items[1].entries[0].value.place.column == 9);
}

TEST_CASE("keys that YAML allows and nobody means are refused") {
  CHECK(Parse("a: 1\nb: 2\na: 3\n").first == "3:1: key `a` appears twice");
  CHECK(Parse("a: 1\n'a': 3\n").first == "2:1: key `a` appears twice");
  CHECK(Parse("x: {a: 1, a: 2}\n").first == "1:11: key `a` appears twice");
  CHECK(Parse("base: &b {x: 1}\nc:\n  <<: *b\n").first == "3:3: merge keys (`<<`) are not supported");
  CHECK(Parse("? [a]\n: 1\n").first == "1:3: a key must be a word");
  CHECK(Parse("? {a: b}\n: 1\n").first == "1:3: a key must be a word");
  CHECK(Parse("~: 1\n").first == "1:1: a key must be a word");
  CHECK(Parse(": 1\n").first == "1:1: a key must be a word");
  CHECK(Parse("a: 1\nb: {c: 1, c: 2}\na: 2\n").count == 2);
}

TEST_CASE("more or less than one document of keys is refused") {
  CHECK(Parse("").first == "0:0: the file is empty");
  CHECK(Parse("# only a comment\n\n").first == "0:0: the file is empty");
  CHECK(Parse("---\n").first == "0:0: the file is empty");
  CHECK(Parse("\xEF\xBB\xBF").first == "0:0: the file is empty");
  CHECK(Parse("a: 1\n---\nb: 2\n").first == "2:1: a second document starts here; a file holds one experiment");
  CHECK(Parse("  a: 1\nb: 2\n").first == "2:1: this line does not belong to what stands above it");
  CHECK(Parse("just text\n").first == "1:1: expected keys and values, such as `version: 1`");
  CHECK(Parse("- a\n- b\n").first == "1:1: expected keys and values, such as `version: 1`");
  CHECK(Parse("---\na: 1\n...\n").first == "");
}

TEST_CASE("tags are refused, anchors and aliases work within limits") {
  CHECK(Parse("a: !!str 1\n").first == "1:4: YAML tags such as `tag:yaml.org,2002:str` are not used here");
  CHECK(Parse("a: !!binary aGk=\n").first == "1:4: YAML tags such as `tag:yaml.org,2002:binary` are not used here");
  CHECK(Parse("a: !x {b: 1}\n").first == "1:4: YAML tags such as `!x` are not used here");
  const Parse shared("a: &e {X: 1}\nb: *e\n");
  REQUIRE(shared.root);
  CHECK(shared.root->entries[1].value.entries[0].key == "X");
  CHECK(Parse("a: &e [1, *e]\n").first == "1:11: this alias stands inside what it refers to");
  CHECK(Parse("a: *gone\n").first.substr(0, 20) == "1:4: not valid YAML:");
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = std::to_string(i - 1), now = std::to_string(i);
    laughs += "a" + now + ": &a" + now + " [" + repeated("*a" + last + ", ", 9) + "*a" + last + "]\n";
  }
  CHECK(Parse(laughs).first.find("more than 20000 values") != std::string::npos);
}

TEST_CASE("too much is refused without being built") {
  CHECK(Parse(std::string(kLargestFile_bytes + 1, 'a')).first ==
        "0:0: the file is larger than 1 MiB; this is no experiment file");
  CHECK(Parse("a: " + repeated("[", 200) + repeated("]", 200)).first == "1:67: nested deeper than 64 levels");
  CHECK(Parse("a: " + repeated("[", 20'000)).first.find("nested deeper") != std::string::npos);
  CHECK(Parse("a: " + repeated("{b: ", 20'000)).first.find("nested deeper") != std::string::npos);
  CHECK(Parse(repeated("- ", 20'000)).first.find("nested deeper") != std::string::npos);
  CHECK(Parse("a: [" + repeated("1,", 30'000) + "]").first.find("more than 20000 values") != std::string::npos);
}

TEST_CASE("bytes that are no text are refused with their place") {
  using namespace std::string_literals;
  CHECK(Parse("a: 1\nb: \xFF\n").first == "2:4: byte 0xff does not belong in a text file");
  CHECK(Parse("a: \x1B[31mred\n").first == "1:4: byte 0x1b does not belong in a text file");
  CHECK(Parse("a: 1\0"s).first == "1:5: byte 0x00 does not belong in a text file");
  CHECK(Parse("a: \xC0\xAF\n").first == "1:4: byte 0xc0 does not belong in a text file");
  CHECK(Parse("\xFF\xFE"
              "a\0:\0"s)
            .first == "1:1: byte 0xff does not belong in a text file");
  CHECK(Parse("a: \"x\\0y\"\n").first == "1:4: a text must not hold a NUL character");
  CHECK(Parse("\x7F"
              "ELF")
            .first == "1:1: byte 0x7f does not belong in a text file");
}

TEST_CASE("syntax errors keep their place, and a tab is named as the cause") {
  CHECK(Parse("a: [1, 2\nb: 3\n").first.find("not valid YAML") != std::string::npos);
  const Parse tab("a:\n\tb: 1\n");
  CHECK(tab.first.substr(0, 2) == "2:");
  CHECK(tab.hint == "the line is indented by a tab; use spaces");
}

TEST_CASE("a quote that is never closed is refused where it opens") {
  CHECK(Parse("a: \"open\n").first == "1:4: this quote is never closed");
  CHECK(Parse("a: 1\nb: \"open\nc: 2\n").first == "2:4: this quote is never closed");
  CHECK(Parse("# 损失\nb: 1\n\"open: 1\n").first == "3:1: this quote is never closed");
  CHECK(Parse("a: &x \"open\\\"\n").first == "1:4: this quote is never closed");
  CHECK(Parse("a: 'open\n").first == "1:4: this quote is never closed");
  CHECK(Parse("a: 'it''s\n").first == "1:4: this quote is never closed");
  CHECK(Parse("a: 'it''s'\nb: '\\'\nc: |\n  \"\n").first == "");
  CHECK(Parse("a: \"b\\\\\"\nb: \"c \\\" d\"\n").first == "");
}

TEST_CASE("line ends of Windows and a byte order mark change nothing") {
  const Parse parse(
      "\xEF\xBB\xBF"
      "a: x\r\nb: y\r\n");
  REQUIRE(parse.root);
  CHECK(parse.root->entries[0].value.text == "x");
  CHECK(parse.root->entries[1].place.line == 2);
  CHECK(parse.root->entries[1].place.column == 1);
}

TEST_CASE("the loader refuses a huge or endless file, and says so of a missing one") {
  const Folder folder;
  CHECK(folder.problem_of(std::string(10 * 1024 * 1024, '#')) ==
        "0:0: the file is larger than 1 MiB; this is no experiment file");
  CHECK_THROWS_AS(load_experiment("/dev/zero"), ConfigError);
  CHECK_THROWS_AS(load_experiment(folder.path() / "gone.yaml"), std::system_error);
  CHECK_THROWS_AS(load_experiment(folder.path()), std::system_error);
}

}  // namespace bisectd::configs
