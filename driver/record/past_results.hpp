// What earlier runs came to, night after night: an append-only file of JSON lines with checksums, like the journal. Knows
// nothing of how a run works.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

struct PastResult {
  std::string utc;    ///< when the run began
  std::string model;  ///< the experiment's name
  reports::Outcome outcome = reports::Outcome::unfinished;
  std::string metric;
  std::optional<double> delta;  ///< of the subject as it is
  std::vector<reports::Name> culprits;
  std::map<std::string, std::string> versions;
  std::string digest;  ///< of the experiment and its recorded reference
  std::string run_folder;
  std::size_t trials = 0;
  double elapsed_s = 0;
};

PastResult result_of(const reports::Record& record, const std::string& digest);

/// Adds a result; several processes may do so at once. Errors: those of read_results; std::system_error.
void append_result(const std::filesystem::path& file, const PastResult& result);

/// All results, oldest first; none if there is no such file. Errors: keep::JournalDamaged, also for a file of another
/// bisectd; std::system_error.
std::vector<PastResult> read_results(const std::filesystem::path& file);

/// Of what an experiment asks and what it compares with: the resolved experiment, its recorded reference, and what of its
/// subject's settings the shell has (settings_of_shell), and the files that a `setup` names.
std::string digest_of(const configs::Experiment& experiment, const std::map<std::string, std::string>& of_shell);
/// Of the files of a recorded reference alone; empty without one.
std::string digest_of_recording(const configs::Experiment& experiment);

/// Gives suspects that were guilty before better odds, unless the experiment has odds of its own for them. Returns them
/// as "family:name".
std::vector<std::string> raise_odds(configs::Experiment& experiment, const std::vector<PastResult>& results);

}  // namespace bisectd::driver
