#include "driver/read/event_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "driver/read/clean.hpp"

namespace bisectd::driver::read {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownTags = 20;
constexpr std::size_t kShownTag_bytes = 100;

std::string_view mark_of(Framing framing) { return framing == Framing::tensorflow ? "tfevents" : "vdlrecords"; }

}  // namespace

EventFiles::EventFiles(fs::path path, Framing framing, std::string series, std::string_view tag)
    : path_(std::move(path)), framing_(framing), series_(std::move(series)), tag_(cleaned_tag(tag)) {}

void EventFiles::look_for_files() {
  std::error_code error;  // what cannot be looked into now may be there the next time
  if (!fs::is_directory(path_, error)) {
    if (fs::exists(path_, error)) files_.try_emplace(path_, path_, framing_);
    return;
  }
  fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error))
    if (at->path().filename().string().find(mark_of(framing_)) != std::string::npos && at->is_regular_file(error))
      files_.try_emplace(at->path(), at->path(), framing_);
}

bool EventFiles::read_new(judge::Curve& curve) {
  look_for_files();
  bool anything = false;
  for (auto& [path, file] : files_) anything = read(file, curve) || anything;
  return anything;
}

bool EventFiles::read(File& file, judge::Curve& curve) {
  if (!file.problem.empty()) return false;
  const auto take_record = [&](std::string_view record) {
    if (!file.problem.empty()) return;
    const auto scalars = scalars_of(record, framing_);
    if (!scalars) file.problem = "holds a record that cannot be read";
    else
      for (const ScalarEvent& scalar : *scalars) take(file, scalar, curve);
  };
  try {
    const bool anything = file.tail.read_new([&](std::string_view bytes) { file.frames.feed(bytes, take_record); },
                                             [&](std::string_view) { file.frames = RecordFrames(framing_); });
    if (file.problem.empty()) file.problem = file.frames.problem();
    return anything;
  } catch (const std::system_error& error) {
    file.problem = error.what();
  }
  return false;
}

void EventFiles::finish(judge::Curve& curve) {
  for (auto& [path, file] : files_) file.tail.reopen();
  while (read_new(curve)) {
  }
}

void EventFiles::take(File& file, const ScalarEvent& scalar, judge::Curve& curve) {
  if (cleaned_tag(scalar.tag) != tag_) {
    if (other_tags_.size() < kShownTags) other_tags_.insert(for_display(scalar.tag, kShownTag_bytes));
    return;
  }
  const fs::path folder = file.tail.path().parent_path();
  if (folder_.value_or(folder) != folder) {
    file.problem = fmt::format("holds '{}', and so do files in {}: name one of the two folders", tag_, folder_->string());
    return;
  }
  if (written_tag_.value_or(scalar.tag) != scalar.tag) {
    file.problem =
        fmt::format("holds '{}' and '{}', which are both shown as '{}': only the last value of a step would be compared",
                    for_display(*written_tag_, kShownTag_bytes), for_display(scalar.tag, kShownTag_bytes), tag_);
    return;
  }
  folder_ = folder;
  written_tag_ = scalar.tag;
  curve.series[series_].push_back({scalar.step, scalar.value});
  last_step_ = std::max(last_step_.value_or(scalar.step), scalar.step);
}

std::vector<std::string> EventFiles::problems(bool at_the_end) const {
  std::vector<std::string> problems;
  for (const auto& [path, file] : files_)
    if (!file.problem.empty()) problems.push_back(fmt::format("{}: {}", path.string(), file.problem));
  if (at_the_end && files_.empty())
    problems.push_back(fmt::format("{}: no {} file is there", path_.string(), mark_of(framing_)));
  else if (at_the_end && !last_step_ && problems.empty())
    problems.push_back(
        fmt::format("{}: no value has the tag '{}'; there are: {}", path_.string(), tag_, fmt::join(other_tags_, ", ")));
  return problems;
}

}  // namespace bisectd::driver::read
