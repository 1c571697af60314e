// Where culprits fail only together, several minimal sets mend the subject. What they cost in speed only runs can tell.
#pragma once

#include <vector>

#include "driver/loop/search_phase.hpp"

namespace bisectd::driver {

/// The minimal fixes of a proved answer beside its culprit set, by price; a few, or a night would go to them. Of an
/// answer that is not proved, none.
std::vector<std::vector<strategies::SuspectId>> other_fixes(const strategies::Answer& answer,
                                                            const strategies::Problem& problem);

/// Runs each of the few once at full length, unless enough is known of it or no step time can be measured here. A further
/// cause that one of them shows is searched, and what costs less in speed becomes the culprit set where the experiment asks
/// for it. Throws Interrupted.
void compare_fixes(Run& run, SearchPhase& search);

}  // namespace bisectd::driver
