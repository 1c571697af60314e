// Words for groups of trials that begin alike.
#pragma once

#include <string>

#include "reports/record.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {

inline constexpr const char* kWhatSignaturesShow =
    "Trials in which the same causes are active begin alike. Each row is one way to begin: how far the first steps are from "
    "the "
    "reference, in units of what two healthy runs differ by.";

/// There is something to compare: two ways to begin or more.
bool shows_signatures(const Record& record);
/// "1838 healthy spreads"
std::string signature_size_text(const SignatureGroup& group);
/// The causes that were active in all of its trials; "no cause" if none.
std::string signature_causes_text(const Record& record, const SignatureGroup& group, Escape escape);

}  // namespace bisectd::reports
