#include "driver/read/line.hpp"

#include <algorithm>
#include <string>

#include "driver/read/clean.hpp"

namespace bisectd::driver::read {

std::int64_t Line::number() const { return block->first_line + contents_of(block->text.substr(0, offset)).newlines; }

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

}  // namespace bisectd::driver::read
