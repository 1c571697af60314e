#include "reports/escape.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

// Nothing that a terminal obeys: no C0 control, DEL, C1 control (U+0080 to U+009F) or bidi override (U+202A to U+202E).
bool quiet(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
    if (byte(i) < 0x20 || byte(i) == 0x7F) return false;
    if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0) return false;
    if (byte(i) == 0xE2 && byte(i + 1) == 0x80 && byte(i + 2) >= 0xAA && byte(i + 2) <= 0xAE) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("html leaves no markup") {
  CHECK(html("<b a=\"1\" c='2'>&") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
  CHECK(html("\x1b") == "\\x1b");
}

TEST_CASE("html_link stays below the page") {
  CHECK(html_link("trials/0007/attempt-1") == "./trials/0007/attempt-1");
  CHECK(html_link("javascript:alert(1)") == "./javascript%3Aalert%281%29");
  CHECK(html_link("a b\"#?\xe7\xae\x97") == "./a%20b%22%23%3F%E7%AE%97");
}

TEST_CASE("markdown_code is a span that its text cannot leave") {
  CHECK(markdown_code("pad3d") == "`pad3d`");
  CHECK(markdown_code("a`b") == "``a`b``");
  CHECK(markdown_code("`") == "`` ` ``");
  CHECK(markdown_code("``x") == "``` ``x ```");
  CHECK(markdown_code(" x ") == "`  x  `");
  CHECK(markdown_code("") == "(empty)");
  CHECK(markdown_code("  ") == "(empty)");
  CHECK(markdown_cell("a|b") == "`a\\|b`");
}

TEST_CASE("markdown_block outlives backticks in its text") {
  CHECK(markdown_block("x", "sh") == "```sh\nx\n```\n");
  CHECK(markdown_block("```\n", "") == "````\n```\n````\n");
}

TEST_CASE("no renderer's escape lets a control through") {
  for (const std::string& text : sample::hostile()) {
    INFO(plain(text));
    CHECK(quiet(plain(text)));
    CHECK(quiet(html(text)));
    CHECK(quiet(markdown_cell(text)));
  }
  CHECK(rc::check("any bytes", [](const std::string& text) { RC_ASSERT(quiet(plain(text))); }));
}
