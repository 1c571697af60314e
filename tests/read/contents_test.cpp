// What a text holds, at any place of it and of any length: the pass goes over strides of 128 bytes.
#include "driver/read/line.hpp"

#include <string>

#include "tests/catch.hpp"

using namespace bisectd::driver::read;

TEST_CASE("plain text is told from text that must be cleaned, at any place") {
  CHECK(contents_of(std::string(1000, 'x')).is_plain);
  for (const std::size_t at : {0u, 63u, 127u, 128u, 500u, 999u}) {
    std::string text(1000, 'x');
    text[at] = '\x1b';
    CHECK_FALSE(contents_of(text).is_plain);
    text[at] = '\x80';
    CHECK_FALSE(contents_of(text).is_plain);
  }
}

TEST_CASE("returns and newlines are seen at any place") {
  for (const std::size_t at : {0u, 127u, 128u, 255u, 999u}) {
    std::string text(1000, 'x');
    CHECK_FALSE(contents_of(text).has_returns);
    text[at] = '\r';
    CHECK(contents_of(text).has_returns);
    CHECK(contents_of(text).newlines == 0);
    text[at] = '\n';
    CHECK(contents_of(text).newlines == 1);
  }
}

TEST_CASE("a text of nothing but newlines is counted whole") {
  for (const std::size_t length : {0u, 1u, 127u, 128u, 129u, 5000u})
    CHECK(contents_of(std::string(length, '\n')).newlines == static_cast<std::int64_t>(length));
}
