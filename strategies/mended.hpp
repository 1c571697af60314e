// Whether a run that passes was mended, or only comes out right at its end: the replacement of an innocent suspect may be
// as wrong as the fault, the other way.
#pragma once

#include <vector>

namespace bisectd::strategies {

/// Of two signatures (Evidence::signature): the run is clearly off, and by 3 % or more of what the subject as it is is off
/// by. False where one of them is empty: nothing can be said then.
bool is_still_off(const std::vector<double>& as_is, const std::vector<double>& run);

}  // namespace bisectd::strategies
