// Which trials begin alike: the same causes were active in them. For people, beside what the search makes of signatures.
#pragma once

#include "reports/record.hpp"

namespace bisectd::driver {

/// Sorts the trials that have a signature into groups, the one nearest to the reference first. Can be called again.
void describe_signature_groups(reports::Record& record);

}  // namespace bisectd::driver
