#include "driver/read/scalar_events.hpp"

#include <algorithm>

#include "driver/read/wire.hpp"

namespace bisectd::driver::read {
namespace {

using Kind = WireField::Kind;

/// Walks through a message; false if it is broken.
template <class Take>
bool for_each_field(std::string_view message, Take take) {
  WireReader reader(message);
  while (const auto field = reader.next())
    if (!take(*field)) return false;
  return !reader.broken();
}

/// The one number of a TensorProto, if it is a float or double of one element.
std::optional<double> tensor_number(std::string_view message) {
  constexpr std::uint64_t kFloat = 1;
  constexpr std::uint64_t kDouble = 2;
  std::uint64_t type = 0;
  double value = 0;  // a tensor without any number is zero
  bool is_number = true;
  const auto take_number = [&](std::string_view bytes) {
    WireField field;
    field.bits = from_little_endian(bytes.substr(0, 8));
    if (bytes.size() == 4) value = field.as_float();
    else if (bytes.size() == 8) value = field.as_double();
    else if (!bytes.empty()) is_number = false;
  };
  const auto take_shape = [&](std::string_view shape) {  // {2 dimension {1 size}}
    return for_each_field(shape, [&](const WireField& dimension) {
      return for_each_field(dimension.bytes, [&](const WireField& size) {
        if (size.number == 1 && size.bits != 1) is_number = false;
        return true;
      });
    });
  };
  const bool whole = for_each_field(message, [&](const WireField& field) {
    if (field.number == 1) type = field.bits;
    if (field.number == 2 && field.kind == Kind::bytes) return take_shape(field.bytes);
    if (field.number == 4 || field.number == 5 || field.number == 6) {  // content, list of floats, list of doubles
      if (field.kind == Kind::bytes) take_number(field.bytes);
      if (field.kind == Kind::fixed32) value = field.as_float();
      if (field.kind == Kind::fixed64) value = field.as_double();
    }
    return true;
  });
  if (!whole || !is_number || (type != kFloat && type != kDouble)) return std::nullopt;
  return value;
}

/// One Value of a Summary. False if it is broken.
bool take_summary_value(std::string_view message, std::int64_t step, std::vector<ScalarEvent>& scalars) {
  constexpr std::uint64_t kNodeName = 7;
  ScalarEvent scalar{.step = step};
  std::optional<double> value;
  bool has_other = false;
  const bool whole = for_each_field(message, [&](const WireField& field) {
    if (field.number == 1) scalar.tag = field.bytes;
    else if (field.number == 2 && field.kind == Kind::fixed32) value = field.as_float();
    else if (field.number == 8 && field.kind == Kind::bytes) has_other = !(value = tensor_number(field.bytes));
    else if (field.number != kNodeName) has_other = has_other || field.number != 9;
    return true;
  });
  // A writer may leave out a value of zero, as it may any field that has its default.
  if (!value && !has_other) value = 0;
  if (value && !has_other && !scalar.tag.empty()) {
    scalar.value = *value;
    scalars.push_back(std::move(scalar));
  }
  return whole;
}

bool take_event(std::string_view record, std::vector<ScalarEvent>& scalars) {
  std::int64_t step = 0;
  // The step may stand behind the summary, so the whole event is looked at first.
  const bool whole = for_each_field(record, [&](const WireField& field) {
    if (field.number == 2 && field.kind == Kind::varint) step = static_cast<std::int64_t>(field.bits);
    return true;
  });
  return whole && for_each_field(record, [&](const WireField& field) {
           if (field.number != 5 || field.kind != Kind::bytes) return true;
           return for_each_field(field.bytes, [&](const WireField& value) {
             return value.number != 1 || value.kind != Kind::bytes || take_summary_value(value.bytes, step, scalars);
           });
         });
}

bool take_visualdl_record(std::string_view record, std::vector<ScalarEvent>& scalars) {
  return for_each_field(record, [&](const WireField& field) {
    if (field.number != 1 || field.kind != Kind::bytes) return true;
    ScalarEvent scalar;
    bool is_scalar = false;
    const bool whole = for_each_field(field.bytes, [&](const WireField& part) {
      if (part.number == 1 && part.kind == Kind::varint) scalar.step = static_cast<std::int64_t>(part.bits);
      if (part.number == 2) scalar.tag = part.bytes;
      if (part.number == 4 && part.kind == Kind::fixed32) {
        is_scalar = true;
        scalar.value = part.as_float();
      }
      return true;
    });
    if (is_scalar) scalars.push_back(std::move(scalar));
    return whole;
  });
}

}  // namespace

std::optional<std::vector<ScalarEvent>> scalars_of(std::string_view record, Framing framing) {
  std::vector<ScalarEvent> scalars;
  const bool whole = framing == Framing::tensorflow ? take_event(record, scalars) : take_visualdl_record(record, scalars);
  return whole ? std::optional(std::move(scalars)) : std::nullopt;
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

}  // namespace bisectd::driver::read
