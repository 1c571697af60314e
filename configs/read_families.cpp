// Reads `families`: what can be neutralised together and how.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "configs/blocks.hpp"
#include "configs/member_name.hpp"
#include "configs/names.hpp"
#include "configs/pattern.hpp"
#include "configs/printable.hpp"
#include "configs/read_config_key.hpp"
#include "configs/read_delivery.hpp"
#include "configs/read_ladder.hpp"
#include "configs/read_observation.hpp"
#include "configs/reading.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

/// A setting of a switch; the word `unset` stands for its absence.
Parsed<std::optional<std::string>> setting_of(const Value& value) {
  return text_of(value).map(
      [](std::string text) { return text == "unset" ? std::nullopt : std::optional(std::move(text)); });
}

Delivery read_deliver_block(const Value& block, const std::string& what, Carries carries, Problems& problems) {
  MapReader reader(block, what, problems);
  Delivery deliver = read_delivery(reader, carries, problems);
  reader.refuse_other_keys();
  return deliver;
}

bool has_entry(const Value& block, const std::string& key) {
  return std::ranges::find(block.entries, key, &Value::Entry::key) != block.entries.end();
}

/// What a key of a file can be set to: there is no way to have it unset.
void note_setting(MapReader& reader, const std::string& key, Delivery& deliver, Problems& problems) {
  const Value* value = reader.find(key);
  if (!value || !deliver.config) return;
  if (value->text == "unset")
    problems.add(value->place, fmt::format("`{}.{}`: a key of a file cannot be unset", reader.what(), key),
                 "write the value that the training has without it, or null");
  note_written(*value, reader.what() + "." + key, deliver, problems);
}

Toggle read_toggle(const Value& written, const std::string& what, Problems& problems) {
  Toggle toggle;
  const Value block = has_entry(written, "config") ? with_null_as_value(written) : written;
  toggle.place = block.place;
  MapReader reader(block, what, problems);
  toggle.deliver = read_delivery(reader, Carries::value, problems);
  reader.read("suspect", setting_of, toggle.suspect);
  reader.require("safe", "the value when neutralised, or `unset`");
  reader.read("safe", setting_of, toggle.safe);
  for (const char* key : {"suspect", "safe"}) note_setting(reader, key, toggle.deliver, problems);
  if (reader.find("unset_means")) reader.read("unset_means", text_of, toggle.unset_means.emplace());
  if (const Value* also = reader.find("also_safe"))
    for (const auto& text : texts_of(*also, what + ".also_safe", problems)) toggle.also_safe.push_back(text.value);
  reader.read("description", text_of, toggle.description);
  reader.read("source", text_of, toggle.source);
  reader.refuse_other_keys();
  return toggle;
}

std::map<std::string, Toggle> read_toggles(const Value& block, const std::string& what, Problems& problems) {
  std::map<std::string, Toggle> toggles;
  const MapReader reader(block, what, problems);
  for (const Value::Entry& entry : block.entries) {
    if (!is_plain_name(entry.key)) problems.add(entry.place, in_quotes(entry.key) + " is no name for a switch");
    toggles.emplace(entry.key, read_toggle(entry.value, what + "." + entry.key, problems));
  }
  if (toggles.empty() && reader.is_map()) problems.add(block.place, fmt::format("`{}` names none", what));
  return toggles;
}

/// A table with a slash in its name lies beside the file that names it, one without belongs to bisectd.
std::filesystem::path table_path(const Placed<std::string>& table) {
  if (table.value.find('/') == std::string::npos) return data_folder() / "names" / table.value;
  return std::filesystem::path(table.place.file).parent_path() / table.value;
}

void read_names(const Value& block, const std::string& what, Family& family, Problems& problems) {
  MapReader reader(block, what, problems);
  Placed<std::string> table, column;
  reader.require("table");
  reader.require("written");
  const bool has_table = reader.read("table", placed_text_of, table);
  const bool has_column = reader.read("written", placed_text_of, column);
  reader.refuse_other_keys();
  if (!has_table || !has_column) return;
  try {
    NameTable names = read_name_table(table_path(table), column.value);
    family.written_name = std::move(names.written_name);
    family.known_names = std::move(names.known_names);
  } catch (const std::runtime_error& error) {
    const bool wrong_column = std::string_view(error.what()).find("column") != std::string_view::npos;
    problems.add(wrong_column ? column.place : table.place, error.what());
  }
}

std::map<std::string, Placed<std::string>> read_parts(const Value& block, const std::string& what, Problems& problems) {
  std::map<std::string, Placed<std::string>> parts;
  MapReader reader(block, what, problems);
  for (const Value::Entry& entry : block.entries) reader.read_value(entry.value, placed_text_of, parts[entry.key]);
  return parts;
}

/// Each family that `parts` names exists, and shows its members in a run.
void check_parts(const std::map<std::string, Family>& families, Problems& problems) {
  std::vector<std::string> known;
  for (const auto& [name, family] : families) known.push_back(name);
  for (const auto& [name, family] : families)
    for (const auto& [word, part] : family.parts) {
      if (part.value.empty()) continue;  // reported when it was read
      const auto found = families.find(part.value);
      if (found == families.end()) {
        const auto right = nearest(part.value, known);
        problems.add(part.place, fmt::format("`families.{}.parts.{}`: unknown family {}", name, word, in_quotes(part.value)),
                     right ? fmt::format("did you mean `{}`?", *right) : "");
      } else if (part.value == name || !found->second.discover) {
        problems.add(part.place,
                     fmt::format("`families.{}.parts.{}`: family {} {}", name, word, in_quotes(part.value),
                                 part.value == name ? "cannot be a part of itself" : "cannot discover its members"));
      }
    }
}

void read_list(MapReader& reader, Family& family, Problems& problems) {
  if (const Value* deliver = reader.require("deliver"))
    family.deliver = read_deliver_block(*deliver, reader.what() + ".deliver", Carries::names, problems);
  if (const Value* discover = reader.find_given("discover"))
    family.discover = read_discovery(*discover, reader.what() + ".discover", problems);
  if (const Value* refused = reader.find_given("refused"))
    family.refused = read_pattern(*refused, reader.what() + ".refused", "name", {"detail"}, problems);
  if (const Value* names = reader.find_given("names")) read_names(*names, reader.what() + ".names", family, problems);
  if (const Value* never_off = reader.find_given("never_off"))
    family.never_off = read_never_off(*never_off, reader.what() + ".never_off", problems);
  if (const Value* watched = reader.find_given("watched")) {
    reader.read_value(*watched, text_of, family.watched);
    if (!family.discover)
      problems.add(watched->place,
                   fmt::format("`{}.watched` needs `discover`, whose run looks at the training", reader.what()));
  }
  if (const Value* members = reader.find_given("members"))
    family.members = read_member_names(*members, reader.what() + ".members", problems);
  for (const auto& name : family.members) check_member_name(name, family, problems);
  if (const Value* parts = reader.find_given("parts")) family.parts = read_parts(*parts, reader.what() + ".parts", problems);
}

void read_ladder(MapReader& reader, Family& family, Problems& problems) {
  family.kind = FamilyKind::ladder;
  if (const Value* deliver = reader.require("deliver"))
    family.deliver = read_deliver_block(*deliver, reader.what() + ".deliver", Carries::value, problems);
  read_ladder_values(reader, family, problems);
  note_setting(reader, "suspect", family.deliver, problems);
  const Value* suspect = reader.find("suspect");
  if (suspect && reader.read_value(*suspect, setting_of, family.ladder.suspect))
    check_ladder_suspect(*suspect, reader.what() + ".suspect", family.ladder, problems);
}

Family read_family(const std::string& name, const Value& written, Problems& problems) {
  Family family;
  const auto deliver = std::ranges::find(written.entries, "deliver", &Value::Entry::key);
  const Value block =
      deliver != written.entries.end() && has_entry(deliver->value, "config") ? with_null_as_value(written) : written;
  family.name = name;
  family.place = block.place;
  MapReader reader(block, "families." + name, problems);
  reader.read("description", text_of, family.description);
  family.environment = read_variables(reader, problems);
  if (const Value* effect = reader.find_given("effect"))
    family.effect = read_effect(*effect, reader.what() + ".effect", problems);
  std::string kind;
  if (reader.is_map() && !reader.find("kind"))
    problems.add(block.place, fmt::format("`kind` is missing in `{}`", reader.what()), "list, toggle or ladder");
  if (!reader.read("kind", text_of, kind)) return family;
  if (kind == "list") {
    read_list(reader, family, problems);
  } else if (kind == "toggle") {
    family.kind = FamilyKind::toggle;
    if (const Value* toggles = reader.require("toggles"))
      family.toggles = read_toggles(*toggles, reader.what() + ".toggles", problems);
  } else if (kind == "ladder") {
    read_ladder(reader, family, problems);
  } else {
    const auto right = nearest(kind, std::vector<std::string>{"list", "toggle", "ladder"});
    problems.add(reader.find("kind")->place, "unknown kind of family " + in_quotes(kind),
                 right ? fmt::format("did you mean `{}`?", *right) : "known: list, toggle, ladder");
    return family;
  }
  reader.refuse_other_keys();
  return family;
}

}  // namespace

const char* name_of(FamilyKind kind) {
  switch (kind) {
    case FamilyKind::list: return "list";
    case FamilyKind::toggle: return "toggle";
    case FamilyKind::ladder: return "ladder";
  }
  return "";
}

std::map<std::string, Family> read_families(const Value& block, Problems& problems) {
  std::map<std::string, Family> families;
  const MapReader reader(block, "families", problems);
  for (const Value::Entry& entry : block.entries) {
    if (!is_plain_name(entry.key)) problems.add(entry.place, in_quotes(entry.key) + " is no name for a family");
    families.emplace(entry.key, read_family(entry.key, entry.value, problems));
  }
  check_parts(families, problems);
  return families;
}

}  // namespace bisectd::configs
