// What climbing a ladder (the loss scale) showed, in the words that all renderers share.
#pragma once

#include <string>

#include "reports/words.hpp"

namespace bisectd::reports {

/// "loss_scale passes by itself from 16 to 4096; 256 is the middle of that window."
std::string ladder_sentence(const Ladder& ladder, Escape escape);

/// Of one value: "recommended" for what is taken of the window, else empty.
std::string_view rung_note(const Ladder& ladder, const Rung& rung);

}  // namespace bisectd::reports
