#include "driver/read/line.hpp"

#include <algorithm>
#include <string>

#include "driver/read/clean.hpp"

namespace bisectd::driver::read {

std::int64_t Line::number() const { return block->first_line + count_newlines(block->text.substr(0, offset)); }

void for_each_line(const Block& block, const TakeLine& take) {
  std::string scratch;
  std::size_t start = 0;
  while (start < block.text.size()) {
    std::size_t end = block.text.find('\n', start);
    end = std::min(block.text.substr(0, end).find('\r', start), std::min(end, block.text.size()));
    const std::string_view text = cleaned(block.text.substr(start, end - start), scratch);
    if (!text.empty()) take({.text = text, .block = &block, .offset = start});
    start = end + 1;
  }
}

std::int64_t count_newlines(std::string_view text) {
  // The inner loop has a fixed length, so that the compiler makes vector code of it.
  constexpr std::size_t kStride = 128;  // fits the 8-bit counter
  std::int64_t count = 0;
  while (text.size() >= kStride) {
    std::uint8_t here = 0;
    for (std::size_t i = 0; i < kStride; ++i) here = static_cast<std::uint8_t>(here + (text[i] == '\n'));
    count += here;
    text.remove_prefix(kStride);
  }
  return count + std::ranges::count(text, '\n');
}

}  // namespace bisectd::driver::read
