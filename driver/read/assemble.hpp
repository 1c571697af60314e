// Puts whole lines together from bytes as they arrive. Knows no files; gives the same lines however the bytes are cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {

class LineAssembler {
 public:
  /// Hands on every line that is whole by now; keeps the rest. Views given to `take` die with the call.
  void feed(std::string_view bytes, const TakeBlock& take);

  /// Hands on what is left, as a torn line.
  void finish(const TakeBlock& take);

  /// Lines that were longer than kLongestLine.
  std::int64_t clipped() const { return clipped_; }

 private:
  void keep(std::string_view start_of_line, const TakeBlock& take);
  void emit(std::string_view text, const TakeBlock& take);

  std::string kept_;              ///< start of a line whose end has not come; at most kLongestLine bytes
  bool kept_is_clipped_ = false;  ///< more of that line was thrown away
  std::int64_t next_line_ = 1;
  std::int64_t clipped_ = 0;
};

}  // namespace bisectd::driver::read
