#include "driver/read/wire.hpp"

#include <bit>

namespace bisectd::driver::read {

std::uint64_t from_little_endian(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t i = text.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

double WireField::as_float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double WireField::as_double() const { return std::bit_cast<double>(bits); }

std::optional<WireField> WireReader::fail() {
  broken_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<std::uint64_t> WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> WireReader::little_endian(std::size_t bytes) {
  if (rest_.size() < bytes) return std::nullopt;
  const std::uint64_t value = from_little_endian(rest_.substr(0, bytes));
  rest_.remove_prefix(bytes);
  return value;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const auto key = varint();
  if (!key) return fail();
  WireField field{.number = *key >> 3};
  std::optional<std::uint64_t> bits;
  switch (*key & 7) {
    case 0: bits = varint(); break;
    case 1:
      field.kind = WireField::Kind::fixed64;
      bits = little_endian(8);
      break;
    case 2: {
      field.kind = WireField::Kind::bytes;
      const auto length = varint();
      if (!length || *length > rest_.size()) return fail();
      field.bytes = rest_.substr(0, *length);
      rest_.remove_prefix(*length);
      bits = 0;
      break;
    }
    case 5:
      field.kind = WireField::Kind::fixed32;
      bits = little_endian(4);
      break;
    default: break;  // groups are long out of use
  }
  if (!bits || field.number == 0) return fail();
  field.bits = *bits;
  return field;
}

}  // namespace bisectd::driver::read
