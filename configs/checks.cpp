// Declares `checks` and `versions`: what must be the same on both sides, and from session to session.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "configs/blocks.hpp"
#include "configs/kinds.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

const Block<VersionSource>& version_source_block() {
  using V = VersionSource;
  static const Block<V> block{
      {.name = "version_source",
       .title = "`versions: {NAME: ...}`",
       .keys = {key("package", &V::package, text(), "A Python package, asked of the subject's own Python."),
                key("file", &V::file, path(), "A file that holds the version, relative to the file that says so."),
                key("command", &V::command, command(kVersionPlaceholders),
                    "Run in the environment and directory of the subject; {python} is the Python that it trains with."),
                key("pattern", &V::pattern, pattern("value"), "RE2 with the group value; absent: the first line.")},
       .one_of = {{"package", "file", "command"}, "for example {package: paddlepaddle}"}},
      [](MapReader& reader, V& source) {
        if (source.package) reader.refuse({"pattern"}, "`{key}` has no use beside `package`");
      }};
  return block;
}

const Block<Check>& check_block() {
  using C = Check;
  static const Block<C> block{
      {.name = "check",
       .title = "`checks: {NAME: ...}`",
       .keys = {key("command", &C::command, command({}), "Run on both sides: its output must be the same."),
                key("pattern", &C::patterns, patterns(),
                    "RE2 with the group value, over the logs of both sides; one or several."),
                key("after", &C::after, pattern(""), "RE2: lines in front of the first one that it fits are not looked at."),
                key("argument", &C::arguments, patterns(),
                    "RE2 with the group value, over the commands: what is known before any run."),
                key("times", &C::factors, patterns(),
                    "RE2 with the group value, over log and command: the value is multiplied by this number (steps of "
                    "accumulation) where there is one."),
                key("per_device", &C::per_device, boolean(),
                    "The value is that of one device: multiplied by those of an attempt.")
                    .unless_default(),
                only_written<C>("standard", [](const C& check) { return check.standard ? word_value("true") : Value{}; })},
       .one_of = {.ways = {"command", "pattern"},
                  .hint = "for example {command: [md5sum, train_list.txt]}",
                  .at_second = true}},
      [](MapReader& reader, C&) {
        if (reader.find("command"))
          reader.refuse({"after", "argument", "times", "per_device"}, "`{key}` has no use beside a command",
                        "it belongs to a `pattern`");
      }};
  return block;
}

Check read_check(const Value::Entry& entry, const Where& where) {
  Check check;
  check.name = entry.key;
  if (!is_plain_name(entry.key))
    where.tell(entry, in_quotes(entry.key) + " is no name for a check", "for example dataset or mixed_precision");
  check_block().read(entry.value, where.below(entry.key), check);
  check.place = entry.place;
  return check;
}

/// `NAME: none` takes one of the standard checks away.
void take_away(const Value::Entry& entry, std::vector<Check>& standard, Problems& problems) {
  std::vector<std::string> names;
  for (const Check& check : standard) names.push_back(check.name);
  if (std::erase_if(standard, [&](const Check& check) { return check.name == entry.key; })) return;
  const auto near = nearest(entry.key, names);
  problems.add(entry.place, fmt::format("{} is none of the standard checks", in_quotes(entry.key)),
               near ? fmt::format("did you mean `{}`?", *near) : fmt::format("they are: {}", fmt::join(names, ", ")));
}

bool refuse_unknown_word(const Value& block, const Where& where) {
  const bool slip = nearest(block.text, std::vector<std::string>{"standard"}).has_value();
  return where.add(
      block, fmt::format("unknown word {}", in_quotes(block.text)),
      slip ? "did you mean `standard`?"
           : "`standard`, or a map of checks, for example {standard: true, dataset: {command: [md5sum, train_list.txt]}}");
}

bool read_checks(const Value& block, const Where& where, const std::vector<Check>& standard, std::vector<Check>& checks) {
  const auto asked_for = [&](const Place& place) {
    if (standard.empty())
      where.tell(place, "there are no standard checks: they are a preset's", "add, for example, `extends: paddle-npu`");
    return standard;
  };
  if (is_word(block, "standard")) checks = asked_for(block.place);
  if (block.kind == Value::Kind::scalar) return is_word(block, "standard") || refuse_unknown_word(block, where);
  std::vector<Check> chosen;
  MapReader reader(block, where.what, where.problems);
  bool all = false;
  if (reader.read("standard", boolean_of, all) && all) chosen = asked_for(reader.find("standard")->place);
  for (const Value::Entry& entry : block.entries) {
    if (entry.key == "standard") continue;
    if (is_word(entry.value, "none")) {
      take_away(entry, chosen, where.problems);
      continue;
    }
    std::erase_if(chosen, [&](const Check& check) { return check.name == entry.key; });
    checks.push_back(read_check(entry, where));
  }
  checks.insert(checks.end(), chosen.begin(), chosen.end());
  return true;
}

}  // namespace

Kind<std::map<std::string, VersionSource>> versions() {
  return {.read =
              [](const Value& value, const Where& where, std::map<std::string, VersionSource>& to) {
                const MapReader reader(value, where.what, where.problems);
                for (const Value::Entry& entry : value.entries) {
                  if (!is_plain_name(entry.key))
                    where.tell(entry, in_quotes(entry.key) + " is no name for a version", "for example cann");
                  if (!is_word(entry.value, "none"))
                    version_source_block().read(entry.value, where.below(entry.key), to[entry.key]);
                }
                return true;
              },
          .write = nullptr,
          .shape = {.json = R"({"type": "object", "additionalProperties":
                    {"anyOf": [{"const": "none"}, {"$ref": "#/definitions/version_source"}]}})",
                    .block = [] { return version_source_block().declared(); },
                    .by_name = true}};
}

Kind<std::vector<Check>> standard_checks() {
  return {.read =
              [](const Value& block, const Where& where, std::vector<Check>& checks) {
                const MapReader names(block, where.what, where.problems);
                for (const Value::Entry& entry : block.entries) {
                  checks.push_back(read_check(entry, where));
                  checks.back().standard = true;
                }
                return true;
              },
          .write = nullptr,
          .shape = {.json = R"({"type": "object", "additionalProperties": {"$ref": "#/definitions/check"}})",
                    .block = [] { return check_block().declared(); },
                    .by_name = true}};
}

Kind<std::vector<Check>> checks(const std::vector<Check>& standard) {
  return {.read = [standard](const Value& block, const Where& where,
                             std::vector<Check>& to) { return read_checks(block, where, standard, to); },
          .write =
              [](const std::vector<Check>& it, const Folder& folder) {
                Value map{.kind = Value::Kind::map};
                for (const Check& check : it) map.entries.push_back({check.name, {}, check_block().write(check, folder)});
                return map;
              },
          .shape = {.json = R"({"anyOf": [{"const": "standard"}, {"type": "object",
                    "properties": {"standard": {"type": "boolean", "default": false,
                                   "description": "Those of the preset, too; NAME: none leaves one out."}},
                    "additionalProperties": {"anyOf": [{"const": "none"}, {"$ref": "#/definitions/check"}]}}]})",
                    .block = [] { return check_block().declared(); },
                    .by_name = true}};
}

}  // namespace bisectd::configs
