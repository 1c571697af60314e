// Whether what is read of a log is one series: not one loss of several that it holds, nor steps of two kinds of lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "driver/read/pattern.hpp"

namespace bisectd::driver::read {

/// A problem where the pattern, which took `value` of this line, would take another number of it, too, that has the same
/// name: "box loss: 1.2, cls loss: 0.3".
std::optional<std::string> other_value(Pattern& pattern, std::string_view line, std::string_view value);

/// Finds series in which each of some steps in a row stands in two kinds of lines: "[generator] step 5 loss 1.2", then
/// "[discriminator] step 5 loss 0.3". Ranks that print one line each are of one kind: the last one counts.
class StepsInTwoKinds {
 public:
  /// Takes in the next value. `line`: the text that tells its kind, by its words. A problem once, at the third such step.
  std::optional<std::string> look(std::string_view line, double value, std::int64_t step);

 private:
  std::size_t lines_ = 0;
  std::optional<std::int64_t> last_step_;
  std::string last_words_;
  double last_value_ = 0;
  std::size_t in_a_row_ = 0;
  bool this_step_counted_ = false;
};

}  // namespace bisectd::driver::read
