#include "configs/printable.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"

namespace bisectd::configs {

TEST_CASE("what a terminal could obey is escaped, everything else is kept") {
  CHECK(printable("plain") == "plain");
  CHECK(printable("日本 é") == "日本 é");
  CHECK(printable("a\nb\tc") == "a\\nb\\tc");
  CHECK(printable("\x1B[31m") == "\\x1b[31m");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\u{009b}31m");  // a C1 escape
  CHECK(printable("\xE2\x80\xAE"
                  "abc") == "\\u{202e}abc");  // right-to-left override
  CHECK(printable("\xFF") == "\\xff");
  CHECK(printable("\xC0\xAF") == "\\xc0\\xaf");                    // overlong
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");           // surrogate
  CHECK(printable("\xE6\x97") == "\\xe6\\x97");                    // cut short
  CHECK(printable("\xF4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

TEST_CASE("long words are clipped between their quotes") {
  CHECK(in_quotes("word") == "`word`");
  CHECK(in_quotes(std::string(100, 'x')) == "`" + std::string(60, 'x') + "...`");
}

TEST_CASE("nothing unsafe survives, and escaping twice changes nothing") {
  rc::check("printable", [](const std::string& bytes) {
    const std::string once = printable(bytes);
    RC_ASSERT(printable(once) == once);
    for (std::string_view rest = once; !rest.empty();) {
      const auto character = first_character(rest);
      RC_ASSERT(character.has_value());
      RC_ASSERT(!is_unsafe(character->code));
      rest.remove_prefix(character->bytes);
    }
  });
}

}  // namespace bisectd::configs
