#include "driver/read/contents.hpp"

#include <cstddef>

namespace bisectd::driver::read {
namespace {

constexpr unsigned char kLastAscii = 0x7f;

struct Found {
  std::uint8_t highest_bit = 0;  ///< set by a byte that is not plain, the escape 0x1b among them
  std::uint8_t returns = 0;
  std::uint8_t newlines = 0;

  void look_at(char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    highest_bit |= static_cast<std::uint8_t>(byte | -static_cast<int>(byte == 0x1b));
    returns |= static_cast<std::uint8_t>(c == '\r');
    newlines = static_cast<std::uint8_t>(newlines + (c == '\n'));
  }
};

}  // namespace

Contents contents_of(std::string_view text) {
  // The inner loop has a fixed length, sums of one byte and no way out, so that the compiler makes vector code of it.
  constexpr std::size_t kStride = 128;  // fits the counter
  Contents contents{.is_plain = true, .has_returns = false};
  const auto add = [&](const Found& found) {
    contents.is_plain = contents.is_plain && found.highest_bit <= kLastAscii;
    contents.has_returns = contents.has_returns || found.returns != 0;
    contents.newlines += found.newlines;
  };
  for (; text.size() >= kStride; text.remove_prefix(kStride)) {
    Found found;
    for (std::size_t i = 0; i < kStride; ++i) found.look_at(text[i]);
    add(found);
  }
  Found rest;
  for (const char c : text) rest.look_at(c);
  add(rest);
  return contents;
}

}  // namespace bisectd::driver::read
