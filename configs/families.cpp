// Declares `families`: what can be neutralised together and how.

#include <fmt/format.h>

#include <stdexcept>

#include "configs/blocks.hpp"
#include "configs/kinds.hpp"
#include "configs/member_name.hpp"
#include "configs/names.hpp"
#include "configs/printable.hpp"
#include "configs/read_config_key.hpp"
#include "configs/suggest.hpp"
#include "configs/words.hpp"

namespace bisectd::configs {
namespace {

using Setting = std::optional<std::string>;

Value setting_value(const Setting& setting) { return setting ? text_value(*setting) : word_value("unset"); }

/// A setting of a switch; the word `unset` stands for its absence.
template <class T>
Key setting(const char* name, Setting T::*member, const char* doc) {
  return special<T>(
      name, {R"({"anyOf": [{"$ref": "#/definitions/text"}, {"const": null}]})"},
      [member](const Value& value, const Where& where, T& it) {
        std::string written;
        if (!text().read(value, where, written)) return false;
        it.*member = written == "unset" ? std::nullopt : Setting(written);
        return true;
      },
      [member](const T& it, const Folder&) { return setting_value(it.*member); }, doc);
}

/// What a key of a file can be set to: there is no way to have it unset.
void note_setting(MapReader& reader, const std::string& key, Delivery& deliver) {
  const Value* value = reader.find(key);
  if (!value || !deliver.config) return;
  if (value->text == "unset")
    reader.problems().add(value->place, fmt::format("`{}.{}`: a key of a file cannot be unset", reader.what(), key),
                          "write the value that the training has without it, or null");
  note_written(*value, reader.path_to(key), deliver, reader.problems());
}

const Block<Toggle>& toggle_block() {
  using T = Toggle;
  static const Block<T> block = [] {
    Block<T> made{{.name = "toggle", .title = "`toggles: {NAME: ...}` of a family", .one_of = kWays, .one_line = true},
                  [](MapReader& reader, T& toggle) {
                    settle_delivery(reader, Carries::value, toggle.deliver);
                    for (const char* key : {"suspect", "safe"}) note_setting(reader, key, toggle.deliver);
                  }};
    made.keys = joined(
        keys_of(&T::deliver, delivery_keys(Carries::value)),
        {setting(
             "suspect", &T::suspect,
             "Value of the subject as it is, where its environment does not say it; `unset` or absent: the variable is not "
             "set, the key has its own value."),
         setting("safe", &T::safe,
                 "Value when it is neutralised, or `unset`; of a key of a file, false, 0 and null are such, and in quotes a "
                 "text.")
             .require("the value when neutralised, or `unset`"),
         key("unset_means", &T::unset_means, text(), "What the software does without the variable.").unwritten(),
         key("also_safe", &T::also_safe, texts(), "Other spellings of the safe value.").unwritten(),
         key("description", &T::description, text(), "What it switches, for reports and `bisectd families`.").unwritten(),
         key("source", &T::source, text(), "Where the claim about it comes from.").unwritten()});
    return made;
  }();
  return block;
}

bool read_toggles(const Value& value, const Where& where, std::map<std::string, Toggle>& toggles) {
  const MapReader reader(value, where.what, where.problems);
  for (const Value::Entry& entry : value.entries) {
    if (!is_plain_name(entry.key)) where.tell(entry, in_quotes(entry.key) + " is no name for a switch");
    const bool in_file = value_at(entry.value, "config");
    toggle_block().read(in_file ? with_null_as_value(entry.value) : entry.value, where.below(entry.key), toggles[entry.key]);
  }
  if (toggles.empty() && reader.is_map()) where.tell(value, fmt::format("`{}` names none", where.what));
  return true;
}

Kind<std::map<std::string, Toggle>> toggles() {
  return {.read = read_toggles,
          .write =
              [](const std::map<std::string, Toggle>& it, const Folder& folder) {
                return map_value(it, [&](const Toggle& each) { return toggle_block().write(each, folder); });
              },
          .shape = {.json = R"({"type": "object", "minProperties": 1,
                    "additionalProperties": {"$ref": "#/definitions/toggle"}})",
                    .block = [] { return toggle_block().declared(); },
                    .by_name = true}};
}

/// A table with a slash in its name lies beside the file that names it, one without belongs to bisectd.
std::filesystem::path table_path(const Placed<std::string>& table) {
  if (table.value.find('/') == std::string::npos) return data_folder() / "names" / table.value;
  return std::filesystem::path(table.place.file).parent_path() / table.value;
}

struct Table {
  Placed<std::string> table, written;
};

const Block<Table>& table_block() {
  static const Block<Table> block{
      {.name = "table",
       .title = "`names` of a family",
       .keys = {key("table", &Table::table, text(), "A file of names beside the presets.").require(""),
                key("written", &Table::written, text(), "The column of the table that lists are written in.").require("")}}};
  return block;
}

bool read_names(const Value& value, const Where& where, Family& family) {
  Table from;
  table_block().read(value, where, from);
  if (from.table.place.file.empty() || from.written.place.file.empty()) return false;
  try {
    NameTable names = read_name_table(table_path(from.table), from.written.value);
    family.written_name = std::move(names.written_name);
    family.known_names = std::move(names.known_names);
  } catch (const std::runtime_error& error) {
    const bool wrong_column = std::string_view(error.what()).find("column") != std::string_view::npos;
    where.tell(wrong_column ? from.written.place : from.table.place, error.what());
  }
  return true;
}

Value names_value(const Family& family, const Folder&) {
  if (family.known_names.empty()) return {};
  std::string all;
  for (const std::string& name : family.known_names) all += name + "\n";
  for (const auto& [in_logs, written] : family.written_name) all += in_logs + "\t" + written + "\n";
  return word_value(fmt::format("{} names, digest {}", family.known_names.size(), digest_of(all)));
}

Kind<Variables> parts() {
  return {.read =
              [](const Value& value, const Where& where, Variables& to) {
                MapReader reader(value, where.what, where.problems);
                for (const Value::Entry& entry : value.entries)
                  reader.read_value(entry.value, placed_text_of, to[entry.key]);
                return true;
              },
          .write =
              [](const Variables& it, const Folder&) {
                Value map = variables_value(it);
                map.one_line = true;
                return map;
              },
          .shape = {.json = R"({"type": "object", "minProperties": 1,
                    "additionalProperties": {"$ref": "#/definitions/text"}})"}};
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

std::vector<Key> common_keys() {
  using F = Family;
  return {
      later(
          "kind", {words_json({"list", "toggle", "ladder"})},
          "list: names, and a listed one is off. toggle: switches with a safe value. ladder: ascending values of one knob.")
          .written<F>([](const F& it) { return word_value(name_of(it.kind)); }),
      key("description", &F::description, text(), "For reports and `bisectd families`.").unwritten(),
      key("environment", &F::environment, family_variables(),
          "Variables of every attempt of the subject, so that the family works at all; may hold {presets} {and_inherited} "
          "{attempt}."),
      key("effect", &F::effect, block(effect_block), "The trace that a member leaves when it is off; none: it leaves none.")
          .or_none()};
}

Key deliver_key(Carries carries) {
  static constexpr auto of_names = []() -> const Block<Delivery>& { return delivery_block(Carries::names); };
  static constexpr auto of_value = []() -> const Block<Delivery>& { return delivery_block(Carries::value); };
  return key("deliver", &Family::deliver, carries == Carries::names ? block<Delivery>(of_names) : block<Delivery>(of_value),
             "Of a list or a ladder: how names or values reach the training.")
      .require("");
}

void settle_list(MapReader& reader, Family& family) {
  if (const Value* watched = reader.given("watched"); watched && !family.discover)
    reader.problems().add(watched->place,
                          fmt::format("`{}.watched` needs `discover`, whose run looks at the training", reader.what()));
  for (const auto& name : family.members) check_member_name(name, family, reader.problems());
}

Block<Family> list_block() {
  using F = Family;
  Shape table = block(table_block).shape;
  return {
      {.name = "list",
       .title = "",
       .keys = joined(
           common_keys(),
           {deliver_key(Carries::names),
            key("discover", &F::discover, block(discovery_block), "Of a list: how members are found in a run.")
                .or_none()
                .touching(Touches::nothing),
            key("refused", &F::refused, pattern("name", {"detail"}),
                "RE2 with the group name: the log of a crash, or of the discovery run, that says this member cannot be off.")
                .or_none()
                .touching(Touches::nothing),
            key("never_off", &F::never_off, block(never_off_block),
                "Members that cannot be switched off this way; they are said, and not tried.")
                .or_none()
                .touching(Touches::nothing)
                .written<F>([](const F& it) { return texts().write(*got<Texts>(it.never_off.names), {}); }),
            key("watched", &F::watched, text(),
                "Of a list with discover: while a member is off the whole training is looked at, as in the discovery run. "
                "Where that alone mends it nobody is accused, and this says what else to look at.")
                .or_none()
                .touching(Touches::nothing),
            key("parts", &F::parts, parts(),
                "Of a list: for each word that `then` may say, the family whose members are called MEMBER/PART.")
                .or_none()
                .touching(Touches::nothing),
            key("members", &F::members, member_names(), "Of a list whose members are known: what `all` means.")
                .or_none()
                .unwritten(),
            special<F>("names", table, read_names, names_value, "A table of the names that exist, and how each is written.")
                .or_none()
                .touching(Touches::nothing)})},
      settle_list};
}

Block<Family> toggle_family_block() {
  return {{.name = "toggle_family",
           .title = "",
           .keys = joined(common_keys(),
                          {key("toggles", &Family::toggles, toggles(), "Of a toggle family, by name.").require("")})}};
}

void settle_ladder(MapReader& reader, Family& family) {
  read_ladder_values(reader, family, reader.problems());
  note_setting(reader, "suspect", family.deliver);
  if (const Value* suspect = reader.find("suspect"); suspect && suspect->kind == Value::Kind::scalar)
    check_ladder_suspect(*suspect, reader.path_to("suspect"), family.ladder, reader.problems());
}

Block<Family> ladder_block() {
  using F = Family;
  return {
      {.name = "ladder",
       .title = "",
       .keys = joined(
           common_keys(),
           {deliver_key(Carries::value),
            later("values", {R"({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"anyOf": [{"type": "number"},
                       {"const": "dynamic"}, {"type": "string", "pattern": "^[0-9]+:"}]}})"},
                  "Of a ladder: ascending numbers, then dynamic and phases by step (\"0:65536,1000:4096\"), each tried by "
                  "itself.")
                .written<F>([](const F& it) { return texts().write(*got<Texts>(it.ladder.values), {}); }),
            later("delivered_as", {R"({"type": "object", "additionalProperties": {"$ref": "#/definitions/text"}})"},
                  "Of a ladder: a value and what is delivered for it, all of the argument or of the variable's text, in "
                  "place of what deliver makes of it; in a file, the value there.")
                .written<F>([](const F& it) { return map_value(it.ladder.delivered_as, text_value, true); }),
            keys_of(&F::ladder,
                    {setting("suspect", &Ladder::suspect, "Of a ladder: delivered while it is active.")
                         .written<Ladder>([](const Ladder& it) { return it.suspect ? text_value(*it.suspect) : Value{}; })})
                .front()})},
      settle_ladder};
}

const Block<Family>& block_of(FamilyKind kind) {
  static const Block<Family> list = list_block(), toggle = toggle_family_block(), ladder = ladder_block();
  return kind == FamilyKind::list ? list : kind == FamilyKind::toggle ? toggle : ladder;
}

constexpr FamilyKind kKinds[] = {FamilyKind::list, FamilyKind::toggle, FamilyKind::ladder};

void read_family(const Value& written, const Where& where, Family& family) {
  const Value* deliver = value_at(written, "deliver");
  const bool in_file = deliver && value_at(*deliver, "config");
  const Value block = in_file ? with_null_as_value(written) : written;
  family.place = block.place;
  MapReader reader(block, where.what, where.problems);
  const Value* kind = reader.find("kind");
  if (!kind && reader.is_map())
    where.tell(block, fmt::format("`kind` is missing in `{}`", where.what), "list, toggle or ladder");
  if (std::string word; kind && text().read(*kind, where.below("kind"), word) &&
                        check_word(*kind, "kind of family", {"list", "toggle", "ladder"}, where.problems)) {
    family.kind = *std::ranges::find_if(kKinds, [&](FamilyKind each) { return word == name_of(each); });
    block_of(family.kind).read(block, where, family);
  }
}

/// The keys of all kinds.
Declared family_declared() {
  Declared all{.name = "family", .title = "`families: {NAME: ...}`"};
  for (const FamilyKind kind : kKinds)
    for (const KeyFacts& each : block_of(kind).declared().keys)
      if (std::ranges::count(all.keys, each.name, &KeyFacts::name) == 0) all.keys.push_back(each);
  return all;
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

Kind<std::map<std::string, Family>> families() {
  return {.read =
              [](const Value& value, const Where& where, std::map<std::string, Family>& families) {
                const MapReader reader(value, where.what, where.problems);
                for (const auto& [name, place, written] : value.entries) {
                  if (!is_plain_name(name)) where.tell(place, in_quotes(name) + " is no name for a family");
                  families[name].name = name;
                  read_family(written, where.below(name), families[name]);
                }
                check_parts(families, where.problems);
                return true;
              },
          .write =
              [](const std::map<std::string, Family>& it, const Folder& folder) {
                return map_value(it, [&](const Family& each) { return block_of(each.kind).write(each, folder); });
              },
          .shape = {.json = R"({"type": "object", "additionalProperties": {"$ref": "#/definitions/family"}})",
                    .block = family_declared,
                    .by_name = true}};
}

}  // namespace bisectd::configs
