// Declares `suspects`: which members of which family are searched.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "configs/blocks.hpp"
#include "configs/kinds.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"
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

using Figures = std::map<std::string, Placed<double>>;

/// Positive numbers by member.
Figures read_figures(const Value& block, const Where& where, const Figure& figure) {
  Figures figures;
  MapReader reader(block, where.what, where.problems);
  for (const Value::Entry& entry : block.entries) {
    if (entry.key == figure.other_key) continue;
    double number = 1;
    if (entry.value.kind == Value::Kind::null) {
      where.tell(entry, fmt::format("{} has no {}", in_quotes(entry.key), figure.name), figure.example);
    } else if (reader.read_value(
                   entry.value, [](const Value& v) { return number_of(v, 0, 1e9); }, number)) {
      if (number == 0) where.tell(entry.value.place, fmt::format("{} must be more than 0", figure.name), figure.instead);
      figures[entry.key] = {number, entry.place};
    }
  }
  return figures;
}

Value figures_value(const Figures& figures, const Value& from = {}) {
  Value map{.kind = Value::Kind::map, .one_line = true};
  if (from.kind != Value::Kind::null) map.entries.push_back({"from", {}, from});
  for (const auto& [member, figure] : figures)
    map.entries.push_back({member, {}, word_value(fmt::format("{}", figure.value))});
  return map;
}

bool read_likely(const Value& block, const Where& where, Selection& selection) {
  selection.likely = read_figures(block, where, kOdds);
  if (block.kind != Value::Kind::map) return true;
  MapReader reader(block, where.what, where.problems);
  Placed<std::string> file;
  if (!reader.find("from") || !reader.read("from", placed_text_of, file)) return true;
  selection.likely_from = {path_of(file), file.place};
  return true;
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
void settle_then(const MapReader& reader, const Family& family, Selection& selection) {
  const Placed<std::string> word = *std::exchange(selection.then, std::nullopt);
  std::vector<std::string> known;
  for (const auto& [name, part] : family.parts) known.push_back(name);
  const auto part = family.parts.find(word.value);
  if (part != family.parts.end()) {
    selection.then = {part->second.value, word.place};
    return;
  }
  const auto right = nearest(word.value, known);
  reader.problems().add(
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

/// A selection while it is read.
struct Choosing : Selection {
  const Family* of = nullptr;
};

void settle_selection(MapReader& reader, Choosing& selection) {
  const Family& family = *selection.of;
  Problems& problems = reader.problems();
  const std::string& what = reader.what();
  const bool is_ladder = family.kind == FamilyKind::ladder;
  if (selection.discover && !family.discover)
    problems.add(reader.find("discover")->place, fmt::format("family `{}` cannot discover its members", family.name),
                 "name them in `members`");
  for (const auto& name : selection.exclude)
    if (is_named(selection.members, name.value))
      problems.add(name.place, fmt::format("{} is a member and excluded", in_quotes(name.value)));
  if (Placed<std::string> path; reader.read("file", placed_text_of, path)) add_from_file(path, selection, problems);
  if (selection.then) settle_then(reader, family, selection);
  if (is_ladder) reader.refuse({"likely", "price"}, "`{what}.{key}` has no use: a ladder is one suspect");
  if (is_ladder && !selection.exclude.empty() && std::ranges::all_of(family.ladder.values, [&](const std::string& value) {
        return is_named(selection.exclude, value);
      }))
    problems.add(reader.find("exclude")->place, fmt::format("`{}.exclude` leaves no value", what));
}

const Block<Choosing>& selection_block() {
  using S = Selection;
  static const Block<Choosing> block{
      {.name = "selection",
       .title = "`suspects: {FAMILY: ...}`, where it is neither `all` nor a list of names",
       .keys =
           {only_written<S>("all", [](const S& it) { return word_value(it.all ? "true" : "false"); }),
            key("discover", &S::discover, boolean(), "Ask a run which members it really uses."),
            key("members", &S::members, member_names(), "Searched besides what is discovered."),
            later("file", text().shape,
                  "Of names, one a line, relative to this file; lines that start with # do not count."),
            key("exclude", &S::exclude, member_names(), "Not searched."),
            key("then", &S::then, text(),
                "Once members are found guilty, their parts are searched in the same run: ops, their operators, where the "
                "family's `parts` has that word."),
            special<S>(
                "likely", {R"({"type": "object", "properties": {"from": {"$ref": "#/definitions/text", "description":
                          "File that tells further odds: of `bisectd align`, or for example msprobe's comparison of dumps."}},
                          "additionalProperties": {"type": "number", "exclusiveMinimum": 0}})"},
                read_likely,
                [](const S& it, const Folder& folder) {
                  return figures_value(it.likely, it.likely_from ? path().write(it.likely_from->value, folder) : Value{});
                },
                "How many times as likely as the others a member is to be guilty; `from`: a file that tells further odds, "
                "of "
                "`bisectd align` or a comparison of dumps (CSV), for example by msprobe."),
            special<S>(
                "price", {R"({"type": "object", "additionalProperties": {"type": "number", "exclusiveMinimum": 0}})"},
                [](const Value& value, const Where& where, S& it) {
                  it.price = read_figures(value, where, kPrice);
                  return true;
                },
                [](const S& it, const Folder&) { return figures_value(it.price); },
                "What it costs to do without a member, in any unit; absent: 10 for a member of a list, 1 for a switch.")}},
      settle_selection};
  return block;
}

Selection read_selection(const Value& value, const Family& family, const Where& where) {
  Choosing selection;
  selection.of = &family;
  selection.place = value.place;
  if (value.kind == Value::Kind::list) {
    member_names().read(value, where, selection.members);
  } else if (value.kind == Value::Kind::map) {
    const bool understood = selection_block().read(value, where, selection);
    const bool none_told = selection.members.empty() && !selection.discover && !value_at(value, "file");
    if (none_told) select_all(family, selection);
    if (understood && none_told && !selection.all && selection.members.empty())
      where.tell(value, fmt::format("`{}` names no suspect", where.what),
                 family.discover ? "add `discover: true`, `members: [...]` or `file: NAMES`"
                                 : "add `members: [...]` or `file: NAMES`");
  } else if (!is_word(value, "all")) {
    where.add(value, fmt::format("expected all, a list or keys and values, found {}",
                                 value.kind == Value::Kind::null ? "nothing" : in_quotes(value.text)));
  } else if (family.kind == FamilyKind::list && family.members.empty()) {
    where.tell(value, fmt::format("family `{}` has no fixed members, so not all of them can be meant", family.name),
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

using Selections = std::map<std::string, Selection>;

Kind<Selections> selections(const std::map<std::string, Family>& families) {
  const auto read = [&families](const Value& block, const Where& outside, Selections& suspects) {
    const Where where{"suspects", outside.problems};  // also where a preset says them
    Problems& problems = where.problems;
    const MapReader reader(block, where.what, problems);
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
      const Selection selection = read_selection(entry.value, family->second, where.below(entry.key));
      check_names(selection, family->second, problems);
      warn_of_strangers(selection, family->second, problems);
      suspects.emplace(entry.key, selection);
    }
    add_parts(suspects, problems);
    if (block.kind == Value::Kind::map && block.entries.empty())
      problems.add(block.place, "`suspects` names no family",
                   known.empty() ? "" : fmt::format("known: {}", fmt::join(known, ", ")));
    return true;
  };
  const auto write = [](const Selections& suspects, const Folder& folder) {
    return map_value(suspects, [&](const Selection& it) { return selection_block().write({it}, folder); });
  };
  return {.read = read,
          .write = write,
          .shape = {.json = R"({"type": "object", "minProperties": 1, "additionalProperties": {"anyOf": [{"const": "all"},
                    {"$ref": "#/definitions/names"}, {"$ref": "#/definitions/selection"}]}})",
                    .block = [] { return selection_block().declared(); },
                    .by_name = true}};
}

}  // namespace bisectd::configs
