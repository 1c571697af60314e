// Follows the event files that TensorBoard's and VisualDL's writers leave: one metric, all files below a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/judge/curve.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/scalar_events.hpp"

namespace bisectd::driver::read {

/// "tfevents" or "vdlrecords" if the file is one of these by its name, or the folder has one. Throws std::system_error if
/// the folder cannot be read.
std::optional<std::string> event_format(const std::filesystem::path& path);

class EventFiles {
 public:
  /// `path`: one file, or a folder whose files of that framing are read wherever they lie in it, in the order of their
  /// names (these hold the time at which they were begun). It need not exist yet.
  EventFiles(std::filesystem::path path, Framing framing, std::string series, std::string_view tag);

  /// Reads what is new and joins the files' points to the metric's series; true if anything was new. Which file grew first
  /// makes no difference, so that who reads the folder at rest finds the same series: where several hold a step, the value
  /// of the last by name comes last. A tag that lies in two folders is two trainings or two kinds of values: the points of
  /// the second are left out, and that is a problem. So is a second tag that TensorBoard shows by the same name.
  bool read_new(judge::Curve& curve);

  /// To be called once nothing is written any more: reads the rest.
  void finish(judge::Curve& curve);

  const std::string& series() const { return series_; }
  std::optional<std::int64_t> last_step() const { return last_step_; }  ///< the highest
  /// What is wrong, with the file's name; after the end also that the tag never came, and which there are.
  std::vector<std::string> problems(bool at_the_end) const;

 private:
  struct File {
    File(const std::filesystem::path& path, Framing framing) : tail(path), frames(framing) {}
    Tail tail;
    RecordFrames frames;
    std::string problem;                     ///< why the rest of it is not read
    std::string left_out;                    ///< why its points do not belong to those of the first file
    std::optional<std::string> written_tag;  ///< before its cleaning
    judge::Series points;
  };
  void look_for_files();
  bool read(File& file);
  void take(File& file, const ScalarEvent& scalar);
  void join(judge::Curve& curve);
  std::string two_tags(std::string_view one, std::string_view other) const;

  std::filesystem::path path_;
  Framing framing_;
  std::string series_;
  std::string tag_;
  std::map<std::filesystem::path, File> files_;
  std::optional<std::int64_t> last_step_;
  std::set<std::string> other_tags_;  ///< a few, for the message that ours is not there
};

}  // namespace bisectd::driver::read
