// Where a run lies on disk: <out>/<name>-<UTC>/ with its journal, trials and reports. The only place that knows the
// file names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bisectd::driver::keep {

/// No folder can be made where runs are to lie: another place must be named, or its rights mended.
class NoRunDirectory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RunDirectory {
 public:
  /// Makes <out>/<name>-<UTC>/. Throws NoRunDirectory.
  static RunDirectory create(const std::filesystem::path& out, std::string_view name);
  /// Opens an existing run directory; throws std::runtime_error, saying what is missing, if it is not one.
  static RunDirectory open(const std::filesystem::path& folder);
  /// The newest run of this name in a folder, by the time in its name. Nothing if there is none.
  static std::optional<RunDirectory> newest(const std::filesystem::path& out, std::string_view name);
  /// The run of this name that `latest` points at: begun or gone on with last, whatever the clock said then. Nothing if it
  /// is of another name.
  static std::optional<RunDirectory> latest(const std::filesystem::path& out, std::string_view name);
  /// True if the folder holds a journal.
  static bool is_one(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path journal() const { return folder_ / "journal.jsonl"; }
  std::filesystem::path trials() const { return folder_ / "trials"; }                ///< absent until one is started
  std::filesystem::path workaround_files() const { return folder_ / "workaround"; }  ///< that the workaround names
  std::filesystem::path resolved_experiment() const { return folder_ / "experiment.resolved.yaml"; }

  /// Points <out>/latest at this folder. A convenience: a file system without symbolic links must not end the night.
  void point_latest_here() const;

  /// trials/0007/attempt-1, not made.
  std::filesystem::path attempt(std::size_t trial, int attempt) const;
  /// The same relative to folder(), for journal and reports.
  static std::string attempt_name(std::size_t trial, int attempt);
  std::string relative(const std::filesystem::path& inside) const;

 private:
  explicit RunDirectory(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

/// The folders NAME-UTC in `out` that hold this file, in the order in which they were begun.
std::vector<std::filesystem::path> begun_in(const std::filesystem::path& out, std::string_view name, const char* file);

/// All of it, however often it takes; false: see errno.
bool write_all(int descriptor, std::string_view content);

/// Writes a whole file through a temporary one and rename: whoever reads it meanwhile sees the old one or the new one.
/// Throws std::system_error with the path.
void write_file(const std::filesystem::path& file, std::string_view content);
/// The same, and after a power cut it is the old one or the new one, too.
void write_file_durably(const std::filesystem::path& file, std::string_view content);
/// The same as write_file, readable by its owner alone.
void write_private_file(const std::filesystem::path& file, std::string_view content);
/// What was made, renamed or removed in the folder outlives a power cut. A file system that cannot do it is no error.
void sync_folder(const std::filesystem::path& folder);
/// Reads a whole file. Throws std::system_error with the path.
std::string read_file(const std::filesystem::path& file);
/// A folder of one's own that is gone in the end. Its name cannot be foreseen: in a shared /tmp somebody else could have put
/// a link there. Throws std::system_error.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& within = std::filesystem::temp_directory_path());
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The word that marks every process of one run, on this machine and for all time: letters and digits.
std::string make_run_tag(const std::filesystem::path& folder);

/// 2026-11-21T13:20:32Z
std::string utc_now();

}  // namespace bisectd::driver::keep
