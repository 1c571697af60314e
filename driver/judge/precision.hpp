// How finely a log was printed, guessed from the numbers in it. Knows no target.
#pragma once

#include <span>

namespace bisectd::driver::judge {

/// Size of one unit in the last printed digit of a value near `near`, from the decimals and the significant digits that
/// the values show: right for fixed ("%.4f") and for scientific ("%.3e") formats. 0 when printed to the last bit.
double printed_unit(std::span<const double> values, double near);

/// Share of the values that equal the one before them: high in logs that print a running median.
double repeated_share(std::span<const double> values);

}  // namespace bisectd::driver::judge
