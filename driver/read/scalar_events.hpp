// The framed records of an event file, and the scalars in one of them. Pure.
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::read {

/// TensorFlow's record: u64 length | u32 masked CRC-32C of the length | bytes | u32 masked CRC-32C of the bytes.
/// VisualDL's: u64 length | bytes. Both least significant byte first.
enum class Framing { tensorflow, visualdl };

class RecordFrames {
 public:
  /// A record up to this size is handed on; a longer one (an image, a histogram) is passed over without being kept.
  static constexpr std::uint64_t kLongestKept = 1 << 20;
  /// A longer one is not believed: nothing after it can be read.
  static constexpr std::uint64_t kLongestBelieved = std::uint64_t{1} << 32;

  explicit RecordFrames(Framing framing) : framing_(framing) {}

  /// Hands on each record that is whole by now and keeps the rest. Does nothing any more once there is a problem.
  void feed(std::string_view bytes, const std::function<void(std::string_view record)>& take);

  /// Why the rest of the file cannot be read; else empty. An unfinished record at the end is no problem: it may grow.
  const std::string& problem() const { return problem_; }

 private:
  std::size_t header_bytes() const { return framing_ == Framing::tensorflow ? 12 : 8; }
  std::size_t trailer_bytes() const { return framing_ == Framing::tensorflow ? 4 : 0; }
  bool good_header(std::string_view header, std::uint64_t length);

  Framing framing_;
  std::string kept_;          ///< an unfinished record with its header
  std::uint64_t skip_ = 0;    ///< bytes of a record that is passed over, still to come
  std::uint64_t offset_ = 0;  ///< where in the file kept_ begins
  std::string problem_;
};

/// The number in these sizeof(T) bytes, least significant byte first.
template <class T>
T from_little_endian(const char* bytes) {
  return boost::endian::endian_load<T, sizeof(T), boost::endian::order::little>(
      reinterpret_cast<const unsigned char*>(bytes));
}

/// CRC-32C (Castagnoli), masked as TensorFlow does.
std::uint32_t masked_crc32c(std::string_view bytes);

/// One number that was logged. Event files hold 32-bit floats: about seven digits.
struct ScalarEvent {
  std::int64_t step = 0;
  std::string tag;
  double value = 0;
};

/// The scalars of a record; none in records of other kinds. Absent: the record is no message of that framework.
/// TensorFlow: Event {2 step, 5 Summary {1 Value {1 tag, 2 simple_value, 8 tensor}}}. VisualDL: Record {1 Value {1
/// step, 2 tag, 4 value}}.
std::optional<std::vector<ScalarEvent>> scalars_of(std::string_view record, Framing framing);

/// The tag as writers clean it: anything but letters, digits, '-', '/', '_' and '.' becomes '_', a leading '/' is lost.
std::string cleaned_tag(std::string_view tag);

}  // namespace bisectd::driver::read
