#include "configs/read_observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <filesystem>

#include "configs/blocks.hpp"
#include "configs/member_file.hpp"
#include "configs/pattern.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

/// Reads `file` and `members`, which belong together, from a block that may hold other keys.
std::optional<NamesInFile> read_names_in_file(MapReader& reader, Problems& problems) {
  const Value* file = reader.find_given("file");
  const Value* members = reader.find_given("members");
  if (!file && !members) return std::nullopt;
  if (!file || !members)
    problems.add((file ? file : members)->place, fmt::format("`{}` needs `file` and `members` together", reader.what()),
                 "members: the path of the names in the file, for example **/{name}");
  NamesInFile names;
  names.place = (file ? file : members)->place;
  if (file && reader.read_value(*file, text_of, names.file)) {
    if (!lies_in_folder(names.file))
      problems.add(file->place, fmt::format("`{}.file` must lie inside the attempt's own folder", reader.what()),
                   "let the training write to {attempt}, and name the file relative to it");
  }
  if (!members || !reader.read_value(*members, text_of, names.members)) return names;
  std::vector<std::string> segments;
  boost::split(segments, names.members, boost::is_any_of("/"));
  if (std::ranges::count(segments, "{name}") != 1 || std::ranges::count(segments, "") > 0)
    problems.add(members->place, fmt::format("`{}.members` is no path with the segment {{name}} in it", reader.what()),
                 "for example **/graph_fusion/{name}/effect_times");
  return names;
}

/// Exactly one of several ways is to be given; where that is not so, `choice` says what they are.
void require_one(const MapReader& reader, int given, const std::string& choice, Problems& problems) {
  if (reader.is_map() && given != 1) problems.add(reader.place(), fmt::format("`{}` needs {}", reader.what(), choice));
}

/// A command that prints names.
std::vector<Placed<std::string>> read_query(const Value& block, const std::string& what, Problems& problems) {
  std::vector<Placed<std::string>> command = texts_of(block, what, problems);
  if (block.kind == Value::Kind::list && block.items.empty()) problems.add(block.place, fmt::format("`{}` is empty", what));
  for (const auto& element : command)
    placeholders_in(element, {kQueryPlaceholders.begin(), kQueryPlaceholders.end()}, problems);
  return command;
}

Clock read_clock(const Value& block, const std::string& what, Problems& problems) {
  Clock clock;
  MapReader reader(block, what, problems);
  reader.require("stamp", "a pattern with the groups `time` and `thread`");
  if (const Value* stamp = reader.find("stamp")) {
    clock.stamp = read_pattern(*stamp, what + ".stamp", "time", {"thread"}, problems);
    if (clock.stamp.value.find("(?P<thread>") == std::string::npos)
      problems.add(stamp->place, fmt::format("`{}.stamp` lacks the group `thread`", what),
                   "lines of one thread belong together; where there are no threads, `(?P<thread>)` is enough");
  }
  if (const Value* during = reader.find("during")) clock.during = read_pattern(*during, what + ".during", "", {}, problems);
  reader.refuse_other_keys();
  return clock;
}

KernelFile read_kernel_file(const Value& block, const std::string& what, Problems& problems) {
  KernelFile kernel;
  MapReader reader(block, what, problems);
  reader.require("variable", "the variable that holds the folder of the device's libraries");
  reader.require("file", "relative to that folder, with {name}");
  reader.read("variable", placed_text_of, kernel.variable);
  if (reader.read("file", placed_text_of, kernel.file) && kernel.file.value.find("{name}") == std::string::npos)
    problems.add(kernel.file.place, fmt::format("`{}.file` needs {{name}}", what));
  reader.refuse_other_keys();
  return kernel;
}

}  // namespace

std::map<std::string, std::string> read_variables(MapReader& reader, Problems& problems) {
  std::map<std::string, std::string> plain;
  const Value* block = reader.find("environment");
  if (!block) return plain;
  for (const auto& [name, value] : read_environment(*block, reader.what() + ".environment", problems)) {
    placeholders_in(value, {kFamilyPlaceholders.begin(), kFamilyPlaceholders.end()}, problems);
    plain.emplace(name, value.value);
  }
  return plain;
}

Discovery read_discovery(const Value& block, const std::string& what, Problems& problems) {
  Discovery discovery;
  MapReader reader(block, what, problems);
  discovery.environment = read_variables(reader, problems);
  const Value* ran = reader.find_given("ran");
  discovery.file = read_names_in_file(reader, problems);
  const Value* command = reader.find_given("command");
  require_one(reader, (ran != nullptr) + discovery.file.has_value() + (command != nullptr),
              "one of `ran` (a pattern over the output of a run), `file` with `members` (what a run leaves) and `command` "
              "(asks the framework)",
              problems);
  if (command) discovery.command = read_query(*command, what + ".command", problems);
  if (ran) discovery.ran = read_pattern(*ran, what + ".ran", "name", {}, problems);
  const auto read_beside_ran = [&](const char* key, std::optional<Placed<std::string>>& pattern) {
    const Value* value = reader.find_given(key);
    if (!value) return;
    pattern = read_pattern(*value, fmt::format("{}.{}", what, key), "name", {}, problems);
    if (!ran) problems.add(value->place, fmt::format("`{}.{}` is only for `ran`", what, key));
  };
  read_beside_ran("elsewhere", discovery.elsewhere);
  read_beside_ran("begun", discovery.begun);
  if (const Value* clock = reader.find_given("clock")) discovery.clock = read_clock(*clock, what + ".clock", problems);
  if (const Value* file = reader.find_given("kernel_file"))
    discovery.kernel_file = read_kernel_file(*file, what + ".kernel_file", problems);
  for (const char* key : {"clock", "kernel_file"})
    if (const Value* value = reader.find_given(key); value && !discovery.elsewhere)
      problems.add(value->place, fmt::format("`{}.{}` is only for `elsewhere`", what, key));
  reader.refuse_other_keys();
  return discovery;
}

Effect read_effect(const Value& block, const std::string& what, Problems& problems) {
  Effect effect;
  MapReader reader(block, what, problems);
  effect.environment = read_variables(reader, problems);
  const Value* log = reader.find("log");
  const Value* gone = reader.find("gone_from_log");
  effect.gone_from_file = read_names_in_file(reader, problems);
  require_one(reader, (log != nullptr) + (gone != nullptr) + effect.gone_from_file.has_value(),
              "one of `log` (a trace of what is off), `gone_from_log` and `file` with "
              "`members` (what works is named, what is off is not)",
              problems);
  if (log) effect.log = read_pattern(*log, what + ".log", "name", {"detail"}, problems);
  if (gone) effect.gone_from_log = read_pattern(*gone, what + ".gone_from_log", "name", {}, problems);
  reader.refuse_other_keys();
  return effect;
}

NeverOff read_never_off(const Value& block, const std::string& what, Problems& problems) {
  NeverOff never;
  MapReader reader(block, what, problems);
  Placed<std::string> file;
  if (reader.read("file", placed_text_of, file))
    for (const auto& name : read_member_file(file, problems)) never.names.push_back(name.value);
  else if (!reader.find("file")) reader.require("names", "or a `file` of them");
  if (const Value* names = reader.find("names"))
    for (const auto& name : texts_of(*names, what + ".names", problems)) {
      if (std::ranges::count(never.names, name.value))
        problems.add(name.place, fmt::format("{} is named twice", in_quotes(name.value)));
      never.names.push_back(name.value);
    }
  std::ranges::sort(never.names);
  reader.require("instead", "what would neutralise them");
  reader.read("instead", text_of, never.instead);
  reader.refuse_other_keys();
  return never;
}

}  // namespace bisectd::configs
