// Takes the scalars out of one record of an event file. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/read/record_frames.hpp"

namespace bisectd::driver::read {

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
