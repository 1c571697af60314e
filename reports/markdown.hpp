// report.md: to paste into a bug report for the operator's owner.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// GitHub-flavoured Markdown: verdict, culprit set, causes, proof, workaround, what was not decided, versions, how to
/// reproduce. Foreign text stands in code spans and blocks only.
std::string to_markdown(const Record& record);

}  // namespace bisectd::reports
