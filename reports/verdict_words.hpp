// The words of verdicts and outcomes: one table of each, for reports and the command line.
#pragma once

#include <string_view>

#include "reports/record.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::reports {

std::string_view verdict_word(strategies::Verdict verdict);  ///< pass, fail, inconclusive, unresolved
std::string_view outcome_word(Outcome outcome);              ///< as in report.json: culprits, aligned, ...

}  // namespace bisectd::reports
