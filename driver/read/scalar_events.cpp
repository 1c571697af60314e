#include "driver/read/scalar_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <protozero/pbf_reader.hpp>

namespace bisectd::driver::read {

namespace {

using Message = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;
using protozero::tag_and_type;

/// The one number of a TensorProto {1 type, 2 shape {2 dimension {1 size}}, 4 content, 5 floats, 6 doubles}, if it is a
/// float or double of one element.
std::optional<double> tensor_number(Message tensor) {
  constexpr std::uint64_t kFloat = 1;
  constexpr std::uint64_t kDouble = 2;
  std::uint64_t type = 0;
  double value = 0;  // a tensor without any number is zero
  bool is_number = true;
  const auto take_bytes = [&](protozero::data_view bytes) {
    if (bytes.size() == sizeof(float)) value = from_little_endian<float>(bytes.data());
    else if (bytes.size() == sizeof(double)) value = from_little_endian<double>(bytes.data());
    else if (!bytes.empty()) is_number = false;
  };
  while (tensor.next()) switch (tensor.tag_and_type()) {
      case tag_and_type(1, Wire::varint): type = tensor.get_uint64(); break;
      case tag_and_type(2, Wire::length_delimited):
        for (Message shape = tensor.get_message(); shape.next(2, Wire::length_delimited);)
          for (Message dimension = shape.get_message(); dimension.next(1, Wire::varint);)
            if (dimension.get_uint64() != 1) is_number = false;
        break;
      case tag_and_type(4, Wire::length_delimited):
      case tag_and_type(5, Wire::length_delimited):
      case tag_and_type(6, Wire::length_delimited): take_bytes(tensor.get_view()); break;
      case tag_and_type(5, Wire::fixed32): value = tensor.get_float(); break;
      case tag_and_type(6, Wire::fixed64): value = tensor.get_double(); break;
      default: tensor.skip();
    }
  return is_number && (type == kFloat || type == kDouble) ? std::optional(value) : std::nullopt;
}

/// Value {1 tag, 2 simple_value, 7 node_name, 8 tensor, 9 metadata}.
void take_summary_value(Message message, std::int64_t step, std::vector<ScalarEvent>& scalars) {
  ScalarEvent scalar{.step = step};
  std::optional<double> value;
  bool has_other = false;
  while (message.next()) switch (message.tag_and_type()) {
      case tag_and_type(1, Wire::length_delimited): scalar.tag = message.get_string(); break;
      case tag_and_type(2, Wire::fixed32): value = message.get_float(); break;
      case tag_and_type(8, Wire::length_delimited): has_other = !(value = tensor_number(message.get_message())); break;
      default: has_other = has_other || (message.tag() != 7 && message.tag() != 9); message.skip();
    }
  if (has_other || scalar.tag.empty()) return;
  scalar.value = value.value_or(0);  // a writer may leave out a zero, as it may any field that has its default
  scalars.push_back(std::move(scalar));
}

void take_event(std::string_view record, std::vector<ScalarEvent>& scalars) {
  std::int64_t step = 0;
  // The step may stand behind the summary.
  for (Message event(record.data(), record.size()); event.next(2, Wire::varint);) step = event.get_int64();
  for (Message event(record.data(), record.size()); event.next(5, Wire::length_delimited);)
    for (Message summary = event.get_message(); summary.next(1, Wire::length_delimited);)
      take_summary_value(summary.get_message(), step, scalars);
}

void take_visualdl_record(std::string_view bytes, std::vector<ScalarEvent>& scalars) {
  for (Message record(bytes.data(), bytes.size()); record.next(1, Wire::length_delimited);) {
    ScalarEvent scalar;
    bool is_scalar = false;
    for (Message value = record.get_message(); value.next();) switch (value.tag_and_type()) {
        case tag_and_type(1, Wire::varint): scalar.step = value.get_int64(); break;
        case tag_and_type(2, Wire::length_delimited): scalar.tag = value.get_string(); break;
        case tag_and_type(4, Wire::fixed32):
          is_scalar = true;
          scalar.value = value.get_float();
          break;
        default: value.skip();
      }
    if (is_scalar) scalars.push_back(std::move(scalar));
  }
}

}  // namespace

std::optional<std::vector<ScalarEvent>> scalars_of(std::string_view record, Framing framing) try {
  std::vector<ScalarEvent> scalars;
  if (framing == Framing::tensorflow) take_event(record, scalars);
  else take_visualdl_record(record, scalars);
  return scalars;
} catch (const protozero::exception&) {
  return std::nullopt;
}

std::string cleaned_tag(std::string_view tag) {
  tag.remove_prefix(std::min(tag.find_first_not_of('/'), tag.size()));
  std::string clean(tag);
  std::ranges::replace_if(
      clean,
      [](char c) {
        const bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                          static_cast<unsigned char>(c) >= 0x80;
        return !word && c != '-' && c != '/' && c != '_' && c != '.';
      },
      '_');
  return clean;
}

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
