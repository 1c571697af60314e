// Whether a run that passes was mended, or only comes out right at its end: the replacement of an innocent suspect may be
// as wrong as the fault, the other way.
#pragma once

#include "strategies/evidence.hpp"

namespace bisectd::strategies {

/// Of a subject that fails as it is: this run is clearly off, and by 3 % or more of what that is off by: in its first steps
/// or, unless both have a signature, in its final window. False where neither is known of both: nothing can be said then.
bool is_still_off(const Measured& as_is, const Measured& run);

/// Of two runs that fail: their differences are so far apart that what fails the one need not be what fails the other, by a
/// fifth of the larger one and by three standard errors. False where one of them is not known.
bool is_off_otherwise(const Measured& as_is, const Measured& run);

}  // namespace bisectd::strategies
