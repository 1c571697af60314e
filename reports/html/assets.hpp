// What the page brings along: the chart library, its own script and its style. Embedded when the program is built.
#pragma once

#include <string>
#include <string_view>

namespace bisectd::reports {

struct Asset {
  std::string_view text;
  std::string_view sha256_hex;  ///< of the text
};

extern const Asset kChartLibrary;
extern const Asset kPageScript;
extern const Asset kPageStyle;

/// How a content security policy names an asset: "'sha256-...'".
std::string policy_source(const Asset& asset);

}  // namespace bisectd::reports
