// The top of the pages of one run: report.html, and that of an alignment.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/html/assets.hpp"

namespace bisectd::reports {

/// How a content security policy names an asset: "'sha256-...'".
std::string policy_source(const Asset& asset);

/// Up to the body. `title` is HTML. Its content security policy allows no network, and no style and scripts but these.
std::string page_head(std::string_view title, std::span<const Asset> scripts);

}  // namespace bisectd::reports
