// Where a suite lies on disk, and what of it is done: <out>/<name>-<UTC>/suite.jsonl, an append-only file like a run's
// journal, so that a suite that was interrupted goes on with the models that are left.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/keep/journal.hpp"
#include "driver/keep/lock.hpp"

namespace bisectd::driver::suite {

class SuiteState {
 public:
  /// The newest suite of this name and of these models in `out` if it is not finished (unless `fresh`), else a new one;
  /// locked as long as this lives. `only`: the chosen models; empty: all. Errors: keep::Locked, keep::JournalDamaged,
  /// std::system_error.
  static SuiteState open(const std::filesystem::path& out, const std::string& name, const std::vector<std::string>& only,
                         bool fresh);

  /// Whether this folder is a suite's.
  static bool is_one(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path folder_of(const std::string& model) const { return folder_ / "models" / model; }
  bool goes_on() const { return goes_on_; }  ///< with what an earlier session began
  const std::string& started_utc() const { return started_utc_; }
  const std::string& tag() const { return tag_; }
  double elapsed_s() const { return elapsed_s_; }  ///< of earlier sessions

  /// Exit code of the bisectd of a model that has ended by itself.
  std::optional<int> code_of(const std::string& model) const;
  void model_ended(const std::string& model, int code);
  void session_ended(double elapsed_s, bool finished);

 private:
  SuiteState() = default;
  void read();

  std::filesystem::path folder_;
  std::string started_utc_, tag_;
  double elapsed_s_ = 0;
  bool goes_on_ = false;
  std::map<std::string, int> codes_;
  std::uintmax_t whole_bytes_ = 0;
  std::unique_ptr<keep::Lock> lock_;
  std::unique_ptr<keep::Journal> journal_;
};

}  // namespace bisectd::driver::suite
