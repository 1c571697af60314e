// Where a run lies on disk: <out>/<name>-<UTC>/ with its journal, trials and reports. The only place that knows the
// file names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bisectd::driver::keep {

class RunDirectory {
 public:
  /// Makes <out>/<name>-<UTC>/. Throws std::system_error with the path.
  static RunDirectory create(const std::filesystem::path& out, std::string_view name);
  /// Opens an existing run directory; throws std::runtime_error, saying what is missing, if it is not one.
  static RunDirectory open(const std::filesystem::path& folder);
  /// True if the folder holds a journal.
  static bool is_one(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path journal() const { return folder_ / "journal.jsonl"; }
  std::filesystem::path workaround_files() const { return folder_ / "workaround"; }  ///< that the workaround names
  std::filesystem::path resolved_experiment() const { return folder_ / "experiment.resolved.yaml"; }

  /// Points <out>/latest at this folder. A convenience: a file system without symbolic links must not end the night.
  void point_latest_here() const;

  /// trials/0007-3f2a91bc/attempt-1, not made; `key` is what the trial neutralises, hashed into the folder's name.
  std::filesystem::path attempt(std::size_t trial, std::string_view key, int attempt) const;
  /// The same relative to folder(), for journal and reports.
  static std::string attempt_name(std::size_t trial, std::string_view key, int attempt);
  std::string relative(const std::filesystem::path& inside) const;

 private:
  explicit RunDirectory(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

/// Writes a whole file through a temporary one and rename. Throws std::system_error with the path.
void write_file(const std::filesystem::path& file, std::string_view content);
/// Reads a whole file. Throws std::system_error with the path.
std::string read_file(const std::filesystem::path& file);
/// 2026-11-21T13:20:32Z
std::string utc_now();

}  // namespace bisectd::driver::keep
