// Text made harmless.
#include "driver/read/line.hpp"

#include "tests/catch.hpp"

using namespace bisectd::driver::read;

namespace {

std::string clean(std::string_view text) {
  std::string scratch;
  return std::string(cleaned(text, scratch));
}

}  // namespace

TEST_CASE("terminal escapes are taken out, wherever they end") {
  CHECK(clean("\x1b[1;32mloss\x1b[0m: 1.5") == "loss: 1.5");
  CHECK(clean("lo\x1b[Kss") == "loss");
  CHECK(clean("\x1b]0;a title\aloss") == "loss");
  CHECK(clean("\x1b]8;;http://x\x1b\\loss") == "loss");
  CHECK(clean("\x1b(Bloss") == "Bloss");
  CHECK(clean("loss\x1b[3") == "loss");
  CHECK(clean("loss\x1b") == "loss");
}

TEST_CASE("bytes that are no UTF-8 are replaced one by one") {
  CHECK(clean("\xe6\x8d\x9f\xe5\xa4\xb1 ok \xf0\x9f\x98\x80") == "\xe6\x8d\x9f\xe5\xa4\xb1 ok \xf0\x9f\x98\x80");
  CHECK(clean("a\xff"
              "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(clean("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong
  CHECK(clean("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  CHECK(clean("\xe6\x8d") == "\xef\xbf\xbd\xef\xbf\xbd");                  // cut short
  CHECK(clean("\xf5\x80\x80\x80").size() == 12);
}

TEST_CASE("what is displayed has no control characters and keeps whole characters") {
  CHECK(for_display("a\tb\x01\x7f\xc2\x9b"
                    "c",
                    100) == "a bc");
  CHECK(for_display("\xe6\x8d\x9f\xe5\xa4\xb1", 5) == "\xe6\x8d\x9f");
  CHECK(for_display(std::string(500, 'x'), 200).size() == 200);
}
