// Walks through one message in protobuf's wire format. Knows no message; a handful of fields does not need the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bisectd::driver::read {

/// One field as it is on the wire (https://protobuf.dev/programming-guides/encoding).
struct WireField {
  enum class Kind { varint, fixed64, bytes, fixed32 };
  std::uint64_t number = 0;
  Kind kind = Kind::varint;
  std::uint64_t bits = 0;  ///< of a number
  std::string_view bytes;  ///< of a string, a message inside or a packed list

  double as_float() const;   ///< bits of a fixed32
  double as_double() const;  ///< bits of a fixed64
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// The next field; nothing at the end, or where the message is broken.
  std::optional<WireField> next();

  bool broken() const { return broken_; }

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> little_endian(std::size_t bytes);
  std::optional<WireField> fail();

  std::string_view rest_;
  bool broken_ = false;
};

/// An unsigned number of text.size() bytes (at most 8), least significant byte first.
std::uint64_t from_little_endian(std::string_view text);

}  // namespace bisectd::driver::read
