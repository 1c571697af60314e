// Reads `suspects`: which members of which family are searched.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "configs/blocks.hpp"
#include "configs/member_file.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

struct Figure {
  const char* name;  ///< in messages
  const char* example;
  const char* instead;              ///< of 0
  std::string_view other_key = "";  ///< that is no member
};
constexpr Figure kOdds{"odds", "for example 20: twenty times as likely as others", "to leave a suspect out, use `exclude`",
                       "from"};
constexpr Figure kPrice{"price", "for example 5: a fix of this member costs as much as one of five members of price 1",
                        "a member that costs next to nothing has a small price, say 0.01"};

/// Positive numbers by member.
std::map<std::string, Placed<double>> read_figures(const Value& block, const Figure& figure, const std::string& what,
                                                   Problems& problems) {
  std::map<std::string, Placed<double>> figures;
  MapReader reader(block, what, problems);
  for (const Value::Entry& entry : block.entries) {
    if (entry.key == figure.other_key) continue;
    double number = 1;
    if (entry.value.kind == Value::Kind::null) {
      problems.add(entry.place, fmt::format("{} has no {}", in_quotes(entry.key), figure.name), figure.example);
    } else if (reader.read_value(
                   entry.value, [](const Value& v) { return number_of(v, 0, 1e9); }, number)) {
      if (number == 0) problems.add(entry.value.place, fmt::format("{} must be more than 0", figure.name), figure.instead);
      figures[entry.key] = {number, entry.place};
    }
  }
  return figures;
}

void read_likely(const Value& block, const std::string& what, Selection& selection, Problems& problems) {
  selection.likely = read_figures(block, kOdds, what, problems);
  if (block.kind != Value::Kind::map) return;
  MapReader reader(block, what, problems);
  Placed<std::string> file;
  if (!reader.find("from") || !reader.read("from", placed_text_of, file)) return;
  file.value = path_of(file);
  selection.likely_from = file;
}

bool is_named(const std::vector<Placed<std::string>>& names, const std::string& name) {
  return std::ranges::find(names, name, &Placed<std::string>::value) != names.end();
}

/// Names in the file join those named here; one that is in both is a slip.
void add_from_file(const Placed<std::string>& file, Selection& selection, Problems& problems) {
  const std::vector<Placed<std::string>> named_here = selection.members;
  for (Placed<std::string>& name : read_member_file(file, problems)) {
    if (is_named(named_here, name.value))
      problems.add(name.place, fmt::format("{} is named twice", in_quotes(name.value)), "`members` names it too");
    selection.members.push_back(std::move(name));
  }
}

/// Every member that the family itself knows.
void select_all(const Family& family, Selection& selection) {
  selection.all = family.kind != FamilyKind::list;
  selection.members = family.members;
}

/// `then`: a word of the family's `parts` becomes the family that it stands for.
void read_then(MapReader& reader, const Family& family, Selection& selection, Problems& problems) {
  Placed<std::string> word;
  if (!reader.read("then", placed_text_of, word)) return;
  std::vector<std::string> known;
  for (const auto& [name, part] : family.parts) known.push_back(name);
  const auto part = family.parts.find(word.value);
  if (part != family.parts.end()) {
    selection.then = {part->second.value, word.place};
    return;
  }
  const auto right = nearest(word.value, known);
  problems.add(
      word.place,
      known.empty()
          ? fmt::format("the members of family `{}` have no parts that could be searched then", family.name)
          : fmt::format("`{}.then`: there is no {} in a member of `{}`", reader.what(), in_quotes(word.value), family.name),
      right           ? fmt::format("did you mean `{}`?", *right)
      : known.empty() ? ""
                      : fmt::format("known: {}", fmt::join(known, ", ")));
}

/// What `then` leads to is a suspect, too. One step down is all there is.
void add_parts(std::map<std::string, Selection>& suspects, Problems& problems) {
  const Selection* first = nullptr;
  std::vector<Placed<std::string>> added;
  for (const auto& [name, selection] : suspects) {
    if (!selection.then) continue;
    if (first)
      problems.add(selection.then->place, "only one family can have `then`",
                   fmt::format("line {} has it", first->then->place.line));
    if (!first) first = &selection;
    added.push_back(*selection.then);
  }
  for (const Placed<std::string>& part : added) {
    Selection& selection = suspects.try_emplace(part.value, Selection{.discover = true, .place = part.place}).first->second;
    if (selection.discover && selection.members.empty()) continue;
    problems.add(
        selection.place,
        fmt::format("`suspects.{}` must be `{{discover: true}}`: `then` searches what ran in guilty members", part.value),
        "`exclude`, `likely` and `price` may stand beside it");
  }
}

void read_block(MapReader& reader, const Family& family, Selection& selection, Problems& problems) {
  const std::string& what = reader.what();
  reader.read("discover", boolean_of, selection.discover);
  if (selection.discover && !family.discover)
    problems.add(reader.find("discover")->place, fmt::format("family `{}` cannot discover its members", family.name),
                 "name them in `members`");
  if (const Value* members = reader.find("members"))
    selection.members = read_member_names(*members, what + ".members", problems);
  const std::vector<Placed<std::string>> named_here = selection.members;
  Placed<std::string> file;
  const bool from_file = reader.find("file");
  if (reader.read("file", placed_text_of, file)) add_from_file(file, selection, problems);
  if (const Value* exclude = reader.find("exclude"))
    selection.exclude = read_member_names(*exclude, what + ".exclude", problems);
  if (const Value* likely = reader.find("likely")) read_likely(*likely, what + ".likely", selection, problems);
  if (const Value* price = reader.find("price")) selection.price = read_figures(*price, kPrice, what + ".price", problems);
  read_then(reader, family, selection, problems);
  if (family.kind == FamilyKind::ladder)
    for (const char* key : {"likely", "price"})
      if (const Value* figures = reader.find(key))
        problems.add(figures->place, fmt::format("`{}.{}` has no use: a ladder is one suspect", what, key));
  if (family.kind == FamilyKind::ladder && !selection.exclude.empty() &&
      std::ranges::all_of(family.ladder.values, [&](const std::string& value) {
        return std::ranges::count(selection.exclude, value, &Placed<std::string>::value) > 0;
      }))
    problems.add(reader.find("exclude")->place, fmt::format("`{}.exclude` leaves no value", what));
  const bool understood = reader.refuse_other_keys();
  if (selection.members.empty() && !selection.discover && !from_file) select_all(family, selection);
  if (understood && !selection.all && !selection.discover && selection.members.empty() && !from_file)
    problems.add(reader.place(), fmt::format("`{}` names no suspect", what),
                 family.discover ? "add `discover: true`, `members: [...]` or `file: NAMES`"
                                 : "add `members: [...]` or `file: NAMES`");
  for (const auto& name : selection.exclude)
    if (is_named(named_here, name.value))
      problems.add(name.place, fmt::format("{} is a member and excluded", in_quotes(name.value)));
}

Selection read_selection(const Value& value, const Family& family, Problems& problems) {
  Selection selection;
  selection.place = value.place;
  const std::string what = "suspects." + family.name;
  if (value.kind == Value::Kind::list) {
    selection.members = read_member_names(value, what, problems);
  } else if (value.kind == Value::Kind::map) {
    MapReader reader(value, what, problems);
    read_block(reader, family, selection, problems);
  } else if (value.kind == Value::Kind::null || value.text != "all") {
    problems.add(value.place, fmt::format("`{}`: expected all, a list or keys and values, found {}", what,
                                          value.kind == Value::Kind::null ? "nothing" : in_quotes(value.text)));
  } else if (family.kind == FamilyKind::list && family.members.empty()) {
    problems.add(value.place, fmt::format("family `{}` has no fixed members, so not all of them can be meant", family.name),
                 family.discover ? "write {discover: true}" : "write a list of names");
  } else {
    select_all(family, selection);
  }
  return selection;
}

void check_names(const Selection& selection, const Family& family, Problems& problems) {
  for (const auto* names : {&selection.members, &selection.exclude})
    for (const auto& name : *names) check_member_name(name, family, problems);
  for (const auto* figures : {&selection.likely, &selection.price})
    for (const auto& [name, figure] : *figures) check_member_name({name, figure.place}, family, problems);
}

/// Where the members are named, what is said of any other name changes nothing: most likely it is misspelt.
void warn_of_strangers(const Selection& selection, const Family& family, Problems& problems) {
  if (family.kind != FamilyKind::list || selection.discover || selection.members.empty()) return;
  std::vector<std::string> members;
  for (const auto& member : selection.members) members.push_back(member.value);
  const auto warn = [&](const std::string& name, const Place& place, const char* key) {
    if (std::ranges::count(members, name)) return;
    const auto right = nearest(name, members);
    problems.warn(place,
                  fmt::format("`{}`: {} is no suspect of family `{}`, so this changes nothing{}", key, in_quotes(name),
                              family.name, right ? fmt::format("; did you mean `{}`?", *right) : ""));
  };
  for (const auto& name : selection.exclude) warn(name.value, name.place, "exclude");
  for (const auto& [name, figure] : selection.likely) warn(name, figure.place, "likely");
  for (const auto& [name, figure] : selection.price) warn(name, figure.place, "price");
}

}  // namespace

std::vector<Placed<std::string>> read_member_names(const Value& value, const std::string& what, Problems& problems) {
  std::vector<Placed<std::string>> names = texts_of(value, what, problems);
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::ranges::find(names.begin(), name, name->value, &Placed<std::string>::value) != name)
      problems.add(name->place, fmt::format("{} is named twice", in_quotes(name->value)));
  if (value.kind == Value::Kind::list && value.items.empty()) problems.add(value.place, fmt::format("`{}` is empty", what));
  return names;
}

std::map<std::string, Selection> read_suspects(const Value& block, const std::map<std::string, Family>& families,
                                               Problems& problems) {
  std::map<std::string, Selection> suspects;
  const MapReader reader(block, "suspects", problems);
  std::vector<std::string> known;
  for (const auto& [name, family] : families) known.push_back(name);
  for (const Value::Entry& entry : block.entries) {
    const auto family = families.find(entry.key);
    if (family == families.end()) {
      const auto right = nearest(entry.key, known);
      const std::string all = known.empty() ? "none is defined: name a preset with `extends`, or define `families`"
                                            : fmt::format("known: {}", fmt::join(known, ", "));
      problems.add(entry.place, "unknown family " + in_quotes(entry.key),
                   right ? fmt::format("did you mean `{}`?", *right) : all);
      continue;
    }
    const Selection selection = read_selection(entry.value, family->second, problems);
    check_names(selection, family->second, problems);
    warn_of_strangers(selection, family->second, problems);
    suspects.emplace(entry.key, selection);
  }
  add_parts(suspects, problems);
  if (block.kind == Value::Kind::map && block.entries.empty())
    problems.add(block.place, "`suspects` names no family",
                 known.empty() ? "" : fmt::format("known: {}", fmt::join(known, ", ")));
  return suspects;
}

}  // namespace bisectd::configs
