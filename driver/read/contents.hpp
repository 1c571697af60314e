// What kinds of bytes a text holds, found in one pass: a log's every byte is looked at here, only few are looked at again.
#pragma once

#include <cstdint>
#include <string_view>

namespace bisectd::driver::read {

/// As little is known as this where nobody looked.
struct Contents {
  bool is_plain = false;      ///< ASCII without an escape: cleaned() would leave it as it is, however it is cut into lines
  bool has_returns = true;    ///< '\r'
  std::int64_t newlines = 0;  ///< number of '\n'
};

Contents contents_of(std::string_view text);

}  // namespace bisectd::driver::read
