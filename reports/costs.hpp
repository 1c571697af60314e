// What the fix costs in speed, and what others would, in the words that all renderers share.
#pragma once

#include <string>
#include <vector>

#include "reports/words.hpp"

namespace bisectd::reports {

/// Whether a step takes longer than `accept.step_time` allows, by more than step times differ from run to run. False where
/// nothing is known.
bool exceeds_step_time(const Costs& costs, double step_time_s);

/// "Step time 0.200 s as it is, 0.222 s with the fix (+11 %)."; empty when not measured, and where pruned_texts() says it.
std::string cost_text(const Record& record);

/// A sentence for each other fix that was tried: "Another fix, ops:b neutralised instead, passes, too (+0.02 %), step time
/// 0.180 s (-19 % against the fix).". One that fails shows that there are causes without a name.
std::vector<std::string> other_fix_texts(const Record& record, Escape escape);

/// How the long run of the fix came out (`soak`), with what was seen of its memory; empty: there was none.
std::string soak_text(const Record& record, Escape escape);

/// What is left of a pruned workaround, a sentence each, and the speed won back; empty if nothing was pruned.
std::vector<std::string> pruned_texts(const Record& record, Escape escape);

}  // namespace bisectd::reports
