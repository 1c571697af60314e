#include "driver/read/names.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <array>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::array<std::string_view, 1> kGroups{"name"};
constexpr std::array<std::string_view, 1> kOptionalGroups{"detail"};

}  // namespace

NameCounter::NameCounter(const std::vector<NamePattern>& patterns) {
  for (const NamePattern& pattern : patterns)
    watched_.push_back(
        {.pattern = Pattern(pattern.text, kGroups, kOptionalGroups), .text = pattern.text, .counts = {}, .key = {}});
}

void NameCounter::feed(const Line& line) {
  for (Watched& watched : watched_) {
    const auto groups = watched.pattern.match(line.text);
    if (groups.empty() || groups[0].empty()) continue;
    watched.key.assign(groups[0]);
    watched.key += '\0';
    watched.key += groups[1];
    if (const auto known = watched.counts.find(watched.key); known != watched.counts.end()) ++known->second;
    else if (watched.counts.size() < kMostNames) watched.counts.emplace(watched.key, 1);
    else watched.too_many = true;
  }
}

std::vector<NameCounts> NameCounter::counts() const {
  std::vector<NameCounts> all;
  for (const Watched& watched : watched_) {
    NameCounts& counts = all.emplace_back();
    for (const auto& [key, count] : watched.counts) {
      const std::size_t end = key.rfind('\0');
      counts[{key.substr(0, end), key.substr(end + 1)}] = count;
    }
  }
  return all;
}

std::vector<std::string> NameCounter::problems() const {
  std::vector<std::string> problems;
  for (const Watched& watched : watched_)
    if (watched.too_many)
      problems.push_back(fmt::format("the pattern '{}' finds more than {} names: it matches more than it should",
                                     watched.text, kMostNames));
  return problems;
}

std::vector<Needed> NameCounter::needed() const {
  std::vector<Needed> all;
  for (const Watched& watched : watched_) all.push_back(watched.pattern.needed());
  return all;
}
namespace {

using Json = nlohmann::json;
using Path = std::span<const std::string>;

std::vector<std::filesystem::path> matches(const std::filesystem::path& folder, const std::string& pattern) {
  std::string escaped;  // the folder's own name is not a pattern
  for (const char c : folder.string()) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  ::glob_t found{};
  std::vector<std::filesystem::path> files;
  if (::glob((escaped + "/" + pattern).c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return files;
}

bool is_something(const Json& value) {
  if (value.is_string()) return value != "" && value != "0" && value != "false";
  if (value.is_number()) return value != 0;
  return !value.is_null() && value != false;
}

/// The value at the end of a path of plain keys.
const Json* at(const Json& value, Path path) {
  if (path.empty()) return &value;
  const auto next = value.is_object() ? value.find(path.front()) : value.end();
  return next == value.end() ? nullptr : at(*next, path.subspan(1));
}

void collect(const Json& value, Path path, NameCounts& counts) {
  const std::string& segment = path.front();
  const Path rest = path.subspan(1);
  if (segment == "**") {
    collect(value, rest, counts);
    if (value.is_structured())
      for (const Json& inner : value) collect(inner, path, counts);
  } else if (segment == "{name}") {
    if (value.is_array() && rest.empty())
      for (const Json& item : value)
        if (item.is_string()) ++counts[{.name = item.get<std::string>(), .detail = {}}];
    if (!value.is_object()) return;
    for (const auto& [key, inner] : value.items())
      if (const Json* proof = at(inner, rest); proof && is_something(*proof)) ++counts[{.name = key, .detail = {}}];
  } else if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      if (::fnmatch(segment.c_str(), key.c_str(), 0) == 0) collect(inner, rest, counts);
  } else if (value.is_array() && segment == "*") {
    for (const Json& inner : value) collect(inner, rest, counts);
  }
}

}  // namespace

FileNames read_names(const std::filesystem::path& folder, const NamesFile& wanted) {
  FileNames names;
  std::vector<std::string> path;
  boost::split(path, wanted.members, boost::is_any_of("/"));
  for (const auto& file : matches(folder, wanted.file)) {
    std::ifstream input(file, std::ios::binary);
    try {
      Json document;
      while (input >> std::ws && input.peek() != std::ifstream::traits_type::eof()) {
        input >> document;
        collect(document, path, names.counts);
        names.found = true;
      }
    } catch (const Json::exception& error) {
      names.problem = fmt::format("{} is not JSON: {}", file.filename().string(), error.what());
    }
  }
  if (!names.problem.empty()) names.found = false;  // half of the names would acquit the others
  return names;
}
namespace {

constexpr std::array<std::string_view, 1> kName{"name"};
constexpr std::array<std::string_view, 1> kDetail{"detail"};
constexpr std::array<std::string_view, 2> kStamp{"time", "thread"};
constexpr double kDay = 24 * 60 * 60;

/// "12:25:37.090591" in seconds since midnight.
std::optional<double> seconds_of_day(std::string_view time) {
  double seconds = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const std::size_t colon = time.find(':');
    const auto part = number(time.substr(0, colon));
    if (!part || (colon == std::string_view::npos) != (parts == 2)) return std::nullopt;
    seconds = seconds * 60 + *part;
    time.remove_prefix(colon == std::string_view::npos ? time.size() : colon + 1);
  }
  return seconds;
}

}  // namespace

TimeElsewhere::TimeElsewhere(const std::vector<NamePattern>& names, const std::string& stamp, const std::string& during)
    : stamp_(stamp, kStamp) {
  for (const NamePattern& name : names) names_.emplace_back(name.text, kName, kDetail);
  if (!during.empty()) during_.emplace(during);
}

void TimeElsewhere::feed(const Line& line) {
  const auto stamp = stamp_.match(line.text);
  if (stamp.empty()) return;
  const auto now = seconds_of_day(stamp[0]);
  if (!now) return;
  const std::string thread(stamp[1]);
  if (const auto running = running_.find(thread); running != running_.end()) {
    if (during_ && during_->fits(line.text)) return;
    const double took = *now - running->second.since;
    seconds_[running->second.name] += took < 0 ? took + kDay : took;
    running_.erase(running);
  }
  for (Pattern& pattern : names_) {
    const auto groups = pattern.match(line.text);
    if (groups.empty() || groups[0].empty()) continue;
    running_.insert_or_assign(thread, Running{{std::string(groups[0]), std::string(groups[1])}, *now});
    break;
  }
}

}  // namespace bisectd::driver::read
