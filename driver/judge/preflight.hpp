// Before the night is spent: can the target be decided at all with this reference, the digits of this log and this noise?
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

/// One finding. An `error` makes verdicts worthless; a warning does not stop the run.
struct Finding {
  std::string code;  ///< stable: precision, smoothed, few-points, too-noisy, lost-perturbation, no-moved-runs,
                     ///< two-references, outlier, left-out, resumed, diverged
  bool error = false;
  std::string text;                  ///< what is wrong, with numbers
  std::vector<std::string> options;  ///< what to do, cheapest first
};

struct Preflight {
  double noise = 0;               ///< run-to-run standard deviation of the level, as a fraction; 0 when not measured
  int attempts_needed = 1;        ///< expected attempts of one trial: 1..max_repeats; one more: undecidable
  std::vector<Finding> findings;  ///< errors first
};

/// Looks at a prepared reference and what repeats of the subject taught so far.
Preflight preflight(const Reference& reference, const NoisePool& pool);

/// Size of one unit in the last printed digit of a value near `near`, from the decimals and the significant digits that
/// the values show: right for fixed ("%.4f") and for scientific ("%.3e") formats. 0 when printed to the last bit.
double printed_unit(std::span<const double> values, double near);

/// What printing in units of `unit` moves the mean of these values by: a quarter of a unit where all are printed alike, as
/// they may all be rounded to the same side; where they change it averages out.
double printing_error(std::span<const double> values, double unit);

/// How many of the values differ from the one before: few in logs that print a running median.
std::size_t changes(std::span<const double> values);

}  // namespace bisectd::driver::judge
