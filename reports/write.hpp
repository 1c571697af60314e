// Writes all reports of a record into its run directory. Knows file names, not what is in the files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::reports {

/// A file that is rendered from a record.
struct Renderer {
  std::string_view file;  ///< "report.json", ...
  std::string (*render)(const Record&);
};

/// All of them, in the order written.
const std::vector<Renderer>& renderers();

/// Renders and replaces every file in `folder`, each at once: a reader sees the old one or the new one, whole, also
/// when this process is killed. Returns what could not be written, one sentence each; the old file then stays. Only
/// those of a finished run are synced: after a power cut the others are rendered again from the journal.
std::vector<std::string> write_reports(const Record& record, const std::filesystem::path& folder);

}  // namespace bisectd::reports
