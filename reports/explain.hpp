// Why the answer of a run is what it is, and why a suspect is in it or not, with the trials that show it.
#pragma once

#include <cstddef>
#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// The answer with what proves it; before there is one, who is likeliest; where there is none, all trials.
std::string why_text(const Record& record);

/// Of one of the suspects that the searches were among.
std::string why_text(const Record& record, std::size_t suspect);

}  // namespace bisectd::reports
