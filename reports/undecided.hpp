// What a reader of the result must know although it is not the result: what was not decided, and why. Shared by all
// renderers, so that none of them acquits silently.
#pragma once

#include <string>
#include <vector>

#include "reports/words.hpp"

namespace bisectd::reports {

/// One sentence each, the weightiest first: claims without proof, suspects that could not be neutralised, why the
/// search stopped without a proof, trials without a verdict (grouped by reason).
std::vector<std::string> undecided(const Record& record, Escape escape);

/// Of a subject that agrees, or of what mends it: what was noted when that was judged, such as a deviation that does no
/// harm, a single NaN, or an end of the curve that proves nothing.
std::vector<std::string> noted_beside(const Record& record, Escape escape);

/// What is to be known of a proved answer: how sure its verdicts are, what had to stay active. Empty or one entry.
std::vector<std::string> left_open(const Record& record, Escape escape);

/// "ops:pad3d: no fall-back line in the log", one for each neutralised suspect that left no trace where one is due.
std::vector<std::string> without_effect(const Record& record, Escape escape);

/// deviation_text() of each suspect that deviates and does no harm.
std::vector<std::string> deviating(const Record& record, Escape escape);

/// Foreign lines, each made harmless.
std::vector<std::string> escaped(const std::vector<std::string>& lines, Escape escape);

}  // namespace bisectd::reports
