#include "driver/read/record_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>

namespace bisectd::driver::read {

std::uint32_t masked_crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t sum = crc.checksum();
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8U;
}

bool RecordFrames::good_header(std::string_view header, std::uint64_t length) {
  if (framing_ == Framing::tensorflow && masked_crc32c(header.substr(0, 8)) != from_little_endian<std::uint32_t>(&header[8]))
    problem_ = fmt::format("the record at byte {} has a damaged length", offset_);
  else if (length > kLongestBelieved)
    problem_ = fmt::format("the record at byte {} claims to have {} bytes", offset_, length);
  return problem_.empty();
}

void RecordFrames::feed(std::string_view bytes, const std::function<void(std::string_view)>& take) {
  while (problem_.empty() && !bytes.empty()) {
    const std::uint64_t skipped = std::min<std::uint64_t>(skip_, bytes.size());
    bytes.remove_prefix(skipped);
    skip_ -= skipped;
    offset_ += skipped;

    const auto keep_up_to = [&](std::size_t size) {
      const std::size_t more = std::min(size - std::min(size, kept_.size()), bytes.size());
      kept_ += bytes.substr(0, more);
      bytes.remove_prefix(more);
      return kept_.size() >= size;
    };
    if (!keep_up_to(header_bytes())) return;
    const std::uint64_t length = from_little_endian<std::uint64_t>(kept_.data());
    if (!good_header(kept_, length)) return;
    if (length > kLongestKept) {
      offset_ += kept_.size();
      skip_ = length + trailer_bytes();
      kept_.clear();
      continue;
    }
    if (!keep_up_to(header_bytes() + length + trailer_bytes())) return;
    const std::string_view record = std::string_view(kept_).substr(header_bytes(), length);
    if (framing_ == Framing::tensorflow &&
        masked_crc32c(record) != from_little_endian<std::uint32_t>(&kept_[header_bytes() + length])) {
      problem_ = fmt::format("the record at byte {} is damaged", offset_);
      return;
    }
    take(record);
    offset_ += kept_.size();
    kept_.clear();
  }
}

}  // namespace bisectd::driver::read
