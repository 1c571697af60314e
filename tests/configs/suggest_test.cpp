#include "configs/suggest.hpp"

#include <rapidcheck.h>

#include <array>
#include <vector>

#include "tests/catch.hpp"

namespace bisectd::configs {

TEST_CASE("the nearest word is found for each kind of slip") {
  const std::array<std::string, 4> words{"command", "devices", "timeout", "stall"};
  CHECK(nearest("comand", words) == "command");    // left out
  CHECK(nearest("commannd", words) == "command");  // put in
  CHECK(nearest("conmand", words) == "command");   // replaced
  CHECK(nearest("devcies", words) == "devices");   // swapped: one slip, not two
  CHECK(nearest("stal", words) == "stall");
}

TEST_CASE("a word that is no slip has no nearest") {
  const std::array<std::string, 2> words{"command", "ids"};
  CHECK(nearest("banana", words) == std::nullopt);
  CHECK(nearest("ixs", words) == "ids");         // one of three letters
  CHECK(nearest("xxs", words) == std::nullopt);  // two of three letters
  CHECK(nearest("", words) == std::nullopt);
  CHECK(nearest("x", std::vector<std::string>{}) == std::nullopt);
}

TEST_CASE("the beginning of a word stands for it where nothing is nearer") {
  const std::array<std::string, 3> words{"ordered", "automatic", "outo"};
  CHECK(nearest("auto", words) == "outo");
  CHECK(nearest("aut", words) == "automatic");
  CHECK(nearest("or", words) == std::nullopt);
}

TEST_CASE("of equally near words the first wins, and an exact one always does") {
  const std::array<std::string, 3> words{"pad", "pad3d", "pad3"};
  CHECK(nearest("pad3", words) == "pad3");
  CHECK(nearest("padx", words) == "pad");
  rc::check("a word is nearest to itself", [] {
    const auto all = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<std::string>>());
    const std::string& word = *rc::gen::elementOf(all);
    RC_ASSERT(nearest(word, all) == word);
  });
}

TEST_CASE("swapping neighbours costs one") {
  rc::check("a swap of two letters is always found in a long word", [] {
    const auto at = *rc::gen::inRange<std::size_t>(0, 7);
    std::string word = "abcdefgh";
    std::swap(word[at], word[at + 1]);
    RC_ASSERT(nearest(word, std::array<std::string, 1>{"abcdefgh"}) == "abcdefgh");
  });
}

}  // namespace bisectd::configs
