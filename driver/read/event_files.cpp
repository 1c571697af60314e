#include "driver/read/event_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "driver/read/line.hpp"

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
  for (auto& [path, file] : files_) anything = read(file) || anything;
  if (anything) join(curve);
  return anything;
}

bool EventFiles::read(File& file) {
  if (!file.problem.empty()) return false;
  const auto take_record = [&](std::string_view record) {
    if (!file.problem.empty()) return;
    const auto scalars = scalars_of(record, framing_);
    if (!scalars) file.problem = "holds a record that cannot be read";
    else
      for (const ScalarEvent& scalar : *scalars) take(file, scalar);
  };
  bool anew = false;
  const auto begin_anew = [&](std::string_view) {
    anew = true;
    file.frames = RecordFrames(framing_);
    file.points.clear();  // who reads it at rest finds none of them
    file.written_tag.reset();
  };
  try {
    const bool anything =
        file.tail.read_new([&](std::string_view bytes) { file.frames.feed(bytes, take_record); }, begin_anew);
    if (file.problem.empty()) file.problem = file.frames.problem();
    return anything || anew;
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

void EventFiles::take(File& file, const ScalarEvent& scalar) {
  if (cleaned_tag(scalar.tag) != tag_) {
    if (other_tags_.size() < kShownTags) other_tags_.insert(for_display(scalar.tag, kShownTag_bytes));
    return;
  }
  if (file.written_tag.value_or(scalar.tag) != scalar.tag) {
    file.problem = two_tags(*file.written_tag, scalar.tag);
    return;
  }
  file.written_tag = scalar.tag;
  file.points.push_back({scalar.step, scalar.value});
}

void EventFiles::join(judge::Curve& curve) {
  last_step_.reset();
  const File* first = nullptr;  // of those that hold the tag
  judge::Series joined;
  for (auto& [path, file] : files_) {
    file.left_out.clear();
    if (file.points.empty()) continue;
    if (first == nullptr) first = &file;
    const fs::path folder = first->tail.path().parent_path();
    if (path.parent_path() != folder)
      file.left_out = fmt::format("holds '{}', and so do files in {}: name one of the two folders", tag_, folder.string());
    else if (file.written_tag != first->written_tag) file.left_out = two_tags(*first->written_tag, *file.written_tag);
    else joined.insert(joined.end(), file.points.begin(), file.points.end());
  }
  for (const judge::Point& point : joined) last_step_ = std::max(last_step_.value_or(point.step), point.step);
  if (joined.empty()) curve.series.erase(series_);
  else curve.series[series_] = std::move(joined);
}

std::string EventFiles::two_tags(std::string_view one, std::string_view other) const {
  return fmt::format("holds '{}' and '{}', which are both shown as '{}': only the last value of a step would be compared",
                     for_display(one, kShownTag_bytes), for_display(other, kShownTag_bytes), tag_);
}

std::vector<std::string> EventFiles::problems(bool at_the_end) const {
  std::vector<std::string> problems;
  for (const auto& [path, file] : files_)
    for (const std::string& problem : {file.problem, file.left_out})
      if (!problem.empty()) problems.push_back(fmt::format("{}: {}", path.string(), problem));
  if (at_the_end && files_.empty())
    problems.push_back(fmt::format("{}: no {} file is there", path_.string(), mark_of(framing_)));
  else if (at_the_end && !last_step_ && problems.empty())
    problems.push_back(
        fmt::format("{}: no value has the tag '{}'; there are: {}", path_.string(), tag_, fmt::join(other_tags_, ", ")));
  return problems;
}

std::optional<std::string> event_format(const std::filesystem::path& path) {
  const auto by_name = [](const std::string& name) -> std::optional<std::string> {
    for (const Framing framing : {Framing::tensorflow, Framing::visualdl})
      if (name.find(mark_of(framing)) != std::string::npos) return std::string(mark_of(framing));
    return std::nullopt;
  };
  if (!std::filesystem::is_directory(path)) return by_name(path.filename().string());
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(path, std::filesystem::directory_options::skip_permission_denied))
    if (auto format = by_name(entry.path().filename().string())) return format;
  return std::nullopt;
}

}  // namespace bisectd::driver::read
