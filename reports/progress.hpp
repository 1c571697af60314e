// Lines about a run under way, for stderr: pure functions of the record, so that a test can pin them. Each is one line
// without newline, colour or cursor movement. When they are shown is the driver's affair.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::reports {

/// A phase begins, named by the role of its trials: "search: which of 32 suspects are guilty".
std::string phase_line(const Record& record, Role role);

/// A trial was judged, and with it so many; the record need not hold its trials:
/// "[ 7/~14] trial 7 search: 12 of 32 neutralised -> fail (loss +3.10 %), 2.1 s; 5 to 9 more trials".
std::string trial_line(const Record& record, const Trial& trial, std::size_t judged);

/// The middle of that: "trial 7 search: 12 of 32 neutralised -> fail (loss +3.10 %), 2.1 s".
std::string judged_text(const Record& record, const Trial& trial);

/// Proof of life where no status line can be shown: "running for 35 min 02 s: trial 7 search (step 40 of 60, 12.3 s)".
std::string heartbeat_line(const Record& record);

/// A few lines for the bottom of a terminal, each at most `columns` wide (a longer one loses its middle), at most `rows`
/// of them: how far the search is, one line per running attempt
/// ("npu 0  trial 7 search: ops:a neutralised: step 40 of 60, loss 7.1 (+3.10 % so far), 12.3 s"), likely culprits.
std::vector<std::string> live_lines(const Record& record, std::size_t columns, std::size_t rows);

}  // namespace bisectd::reports
