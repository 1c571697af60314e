// Reads `versions`.
#include <fmt/format.h>

#include <filesystem>

#include "configs/blocks.hpp"
#include "configs/pattern.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

VersionSource read_source(const Value& block, const std::string& what, Problems& problems) {
  VersionSource source;
  MapReader reader(block, what, problems);
  int sources = 0;
  if (reader.find("package")) {
    ++sources;
    reader.read("package", placed_text_of, source.package.emplace());
  }
  if (reader.find("file")) {
    ++sources;
    Placed<std::string>& file = source.file.emplace();
    reader.read("file", placed_text_of, file);
    file.value = (std::filesystem::path(file.place.file).parent_path() / file.value).lexically_normal().string();
  }
  if (const Value* command = reader.find("command")) {
    ++sources;
    source.command = texts_of(*command, what + ".command", problems);
    if (command->kind == Value::Kind::list && command->items.empty())
      problems.add(command->place, fmt::format("`{}.command` is empty", what));
    for (const auto& word : source.command)
      placeholders_in(word, {kVersionPlaceholders.begin(), kVersionPlaceholders.end()}, problems);
  }
  if (const Value* pattern = reader.find("pattern")) {
    source.pattern = read_pattern(*pattern, what + ".pattern", "value", {}, problems);
    if (source.package) problems.add(pattern->place, "`pattern` has no use beside `package`");
  }
  if (reader.is_map() && reader.refuse_other_keys() && sources != 1)
    problems.add(block.place, fmt::format("`{}` needs one of `package`, `file` and `command`", what),
                 "for example {package: paddlepaddle}");
  return source;
}

}  // namespace

std::map<std::string, VersionSource> read_versions(const Value& block, Problems& problems) {
  std::map<std::string, VersionSource> versions;
  const MapReader reader(block, "versions", problems);
  for (const Value::Entry& entry : block.entries) {
    if (!is_plain_name(entry.key))
      problems.add(entry.place, in_quotes(entry.key) + " is no name for a version", "for example cann");
    const bool taken_back = entry.value.kind == Value::Kind::scalar && entry.value.text == "none";
    if (!taken_back) versions[entry.key] = read_source(entry.value, "versions." + entry.key, problems);
  }
  return versions;
}

}  // namespace bisectd::configs
