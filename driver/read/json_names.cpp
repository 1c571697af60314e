#include "driver/read/json_names.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

namespace bisectd::driver::read {
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

}  // namespace bisectd::driver::read
