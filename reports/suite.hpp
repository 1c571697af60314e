// What a suite of experiments came to, and how it is told: console and an HTML index. Each model keeps its own report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/console.hpp"
#include "reports/record.hpp"

namespace bisectd::reports {

/// An earlier result of a model.
struct TrendPoint {
  std::string utc;
  Outcome outcome = Outcome::unfinished;
  std::optional<double> delta;  ///< of the subject as it is
};

enum class EntryState {
  waiting,    ///< not started yet, or running
  judged,     ///< there is a record
  unchanged,  ///< left out, because nothing changed since it was green
  unjudged,   ///< it could not be judged; never green
};

struct SuiteEntry {
  std::string model;
  EntryState state = EntryState::waiting;
  std::optional<Record> record;
  std::string problem;           ///< why there is no record
  std::string link;              ///< to the model's report.html, relative to the index; may be empty
  std::vector<TrendPoint> past;  ///< oldest first
};

struct SuiteRecord {
  std::string name;
  std::string folder;       ///< absolute
  std::string started_utc;  ///< ISO 8601 with Z
  double elapsed_s = 0;
  std::vector<SuiteEntry> entries;
};

/// "rec: culprits found, loss +3.10 %: ops:pad3d": one line of the list.
std::string entry_line(const SuiteEntry& entry);

/// The list, each model with the warnings of its run, and a last line with the counts.
std::string suite_text(const SuiteRecord& suite, Colour colour);

/// One page with every model, its trend and a link to its report. No script.
std::string suite_html(const SuiteRecord& suite);

/// Aligned: every model agrees with its baseline or did not change; culprits: one regressed, whatever the
/// others came to; inconclusive: none did, and one could not be judged.
Outcome suite_outcome(const SuiteRecord& suite);

}  // namespace bisectd::reports
