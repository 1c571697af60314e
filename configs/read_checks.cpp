// Reads `checks`, and `standard_checks` of a preset.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "configs/blocks.hpp"
#include "configs/pattern.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

/// One pattern, or a list of them.
std::vector<Placed<std::string>> read_patterns(const Value& value, const std::string& what, Problems& problems) {
  if (value.kind != Value::Kind::list) return {read_pattern(value, what, "value", {}, problems)};
  if (value.items.empty()) problems.add(value.place, fmt::format("`{}` is empty", what));
  std::vector<Placed<std::string>> patterns;
  for (const Value& item : value.items) patterns.push_back(read_pattern(item, what, "value", {}, problems));
  return patterns;
}

Check read_check(const Value::Entry& entry, const std::string& block, Problems& problems) {
  Check check;
  check.name = entry.key;
  check.place = entry.place;
  if (!is_plain_name(entry.key))
    problems.add(entry.place, in_quotes(entry.key) + " is no name for a check", "for example dataset or mixed_precision");
  MapReader reader(entry.value, block + "." + entry.key, problems);
  const Value* command = reader.find("command");
  const Value* pattern = reader.find("pattern");
  if (reader.is_map() && (command != nullptr) == (pattern != nullptr))
    problems.add(command ? pattern->place : entry.value.place,
                 fmt::format("`{}` needs either `command` or `pattern`", reader.what()),
                 "for example {command: [md5sum, train_list.txt]}");
  if (command) check.command = texts_of(*command, reader.what() + ".command", problems);
  if (command && command->items.empty()) problems.add(command->place, fmt::format("`{}.command` is empty", reader.what()));
  if (pattern) check.patterns = read_patterns(*pattern, reader.what() + ".pattern", problems);
  if (const Value* after = reader.find("after"))
    check.after = read_pattern(*after, reader.what() + ".after", "", {}, problems);
  if (const Value* argument = reader.find("argument"))
    check.arguments = read_patterns(*argument, reader.what() + ".argument", problems);
  if (const Value* factor = reader.find("times")) check.factors = read_patterns(*factor, reader.what() + ".times", problems);
  reader.read("per_device", boolean_of, check.per_device);
  for (const char* key : {"after", "argument", "times", "per_device"})
    if (const Value* beside = command ? reader.find(key) : nullptr)
      problems.add(beside->place, fmt::format("`{}` has no use beside a command", key), "it belongs to a `pattern`");
  reader.refuse_other_keys();
  return check;
}

std::vector<std::string> names_of(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& check : checks) names.push_back(check.name);
  return names;
}

/// `NAME: none` takes one of the standard checks away.
void take_away(const Value::Entry& entry, std::vector<Check>& standard, Problems& problems) {
  const std::vector<std::string> names = names_of(standard);
  if (std::erase_if(standard, [&](const Check& check) { return check.name == entry.key; })) return;
  const auto near = nearest(entry.key, names);
  problems.add(entry.place, fmt::format("{} is none of the standard checks", in_quotes(entry.key)),
               near ? fmt::format("did you mean `{}`?", *near) : fmt::format("they are: {}", fmt::join(names, ", ")));
}

void refuse_unknown_word(const Value& block, Problems& problems) {
  const bool slip = nearest(block.text, std::vector<std::string>{"standard"}).has_value();
  problems.add(
      block.place, fmt::format("`checks`: unknown word {}", in_quotes(block.text)),
      slip ? "did you mean `standard`?"
           : "`standard`, or a map of checks, for example {standard: true, dataset: {command: [md5sum, train_list.txt]}}");
}

}  // namespace

std::vector<Check> read_standard_checks(const Value& block, Problems& problems) {
  std::vector<Check> checks;
  const MapReader names(block, "standard_checks", problems);
  for (const Value::Entry& entry : block.entries) {
    checks.push_back(read_check(entry, "standard_checks", problems));
    checks.back().standard = true;
  }
  return checks;
}

std::vector<Check> read_checks(const Value& block, const std::vector<Check>& standard, Problems& problems) {
  const auto asked_for = [&](const Place& place) {
    if (standard.empty())
      problems.add(place, "there are no standard checks: they are a preset's", "add, for example, `extends: paddle-npu`");
    return standard;
  };
  if (block.kind == Value::Kind::scalar) {
    if (block.text == "standard") return asked_for(block.place);
    refuse_unknown_word(block, problems);
    return {};
  }
  std::vector<Check> checks, chosen;
  MapReader reader(block, "checks", problems);
  bool all = false;
  if (reader.read("standard", boolean_of, all) && all) chosen = asked_for(reader.find("standard")->place);
  for (const Value::Entry& entry : block.entries) {
    if (entry.key == "standard") continue;
    if (entry.value.kind == Value::Kind::scalar && entry.value.text == "none") {
      take_away(entry, chosen, problems);
      continue;
    }
    std::erase_if(chosen, [&](const Check& check) { return check.name == entry.key; });
    checks.push_back(read_check(entry, "checks", problems));
  }
  checks.insert(checks.end(), chosen.begin(), chosen.end());
  return checks;
}

}  // namespace bisectd::configs
