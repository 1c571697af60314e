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

TEST_CASE("no bidi control, tag, filler or selector is printed as it is") {
  for (const char32_t code :
       {0xADU,   0x61CU,  0x115FU, 0x180EU, 0x200BU, 0x200EU, 0x200FU,  0x202AU,  0x202EU,  0x2066U,  0x2069U,
        0x206AU, 0x3164U, 0xFE0FU, 0xFEFFU, 0xFFF9U, 0xFFFBU, 0x1D173U, 0xE0001U, 0xE0020U, 0xE007FU, 0xE01EFU})
    CHECK(is_unsafe(code));
  CHECK(printable("\xD8\x9C") == "\\u{061c}");           // Arabic letter mark
  CHECK(printable("a\xEF\xBF\xB9") == "a\\u{fff9}");     // interlinear annotation
  CHECK(printable("\xF3\xA0\x81\xA1") == "\\u{e0061}");  // tag a
  CHECK(printable_lines("a\n\tb\r\xD8\x9C") == "a\n\tb\\r\\u{061c}");
  for (const char32_t code : {0x41U, 0xE9U, 0x600U, 0x4E2DU, 0xFFFDU, 0x1F600U}) CHECK(!is_unsafe(code));
}

TEST_CASE("text is measured and filled by the columns that it takes") {
  CHECK(columns("loss") == 4);
  CHECK(columns("算子é") == 5);
  CHECK(columns("e\xCC\x81") == 1);  // e and a combining accent
  CHECK(filled_behind("算子", 6) == "算子  ");
  CHECK(filled_before("算子", 6) == "  算子");
  CHECK(filled_behind("longer", 3) == "longer");
}

TEST_CASE("a line that is too long for a terminal loses its middle") {
  CHECK(elided("abcdefghij", 10) == "abcdefghij");
  CHECK(elided("abcdefghij", 9) == "abc...hij");
  CHECK(elided("abcdefghij", 8) == "abc...ij");
  CHECK(elided("算子算子算子", 9) == "算...子");
  CHECK(elided("算子", 3) == "...");
  CHECK(elided("算子", 2) == "..");
  CHECK(elided("abcdef", 4) == "a...");
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
