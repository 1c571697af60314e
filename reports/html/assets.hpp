// What the page brings along: the chart library, its own script and its style. Embedded when the program is built.
#pragma once

#include <string_view>

namespace bisectd::reports {

struct Asset {
  std::string_view text;
  std::string_view sha256_hex;  ///< of the text
};

extern const Asset kChartLibrary;
extern const Asset kPageScript;
extern const Asset kPageStyle;

}  // namespace bisectd::reports
