// Declares what a family says of seeing its members: discovery, effect, members that stay on.
#include "configs/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <filesystem>

#include "configs/kinds.hpp"
#include "configs/member_name.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

/// `file` and `members`, which belong together.
std::optional<NamesInFile> read_names_in_file(MapReader& reader) {
  Problems& problems = reader.problems();
  const Value *file = reader.given("file"), *members = reader.given("members");
  if (!file && !members) return std::nullopt;
  if (!file || !members)
    problems.add((file ? file : members)->place, fmt::format("`{}` needs `file` and `members` together", reader.what()),
                 "members: the path of the names in the file, for example **/{name}");
  NamesInFile names;
  names.place = (file ? file : members)->place;
  if (file)
    attempt_file("`{what}` must lie inside the attempt's own folder")
        .read(*file, {reader.path_to("file"), problems}, names.file);
  if (!members || !reader.read_value(*members, text_of, names.members)) return names;
  std::vector<std::string> segments;
  boost::split(segments, names.members, boost::is_any_of("/"));
  if (std::ranges::count(segments, "{name}") != 1 || std::ranges::count(segments, "") > 0)
    problems.add(members->place, fmt::format("`{}.members` is no path with the segment {{name}} in it", reader.what()),
                 "for example **/graph_fusion/{name}/effect_times");
  return names;
}

/// `file` and `members` of a block, either of which a file may take away.
template <class T>
std::vector<Key> file_keys(std::optional<NamesInFile> T::*member, const char* doc) {
  const auto value = [member](std::string NamesInFile::*part) {
    return [=](const T& it) { return it.*member ? text_value(*(it.*member).*part) : Value{}; };
  };
  return {later("file", {R"({"type": "string"})"}, doc)
              .written<T>(value(&NamesInFile::file))
              .or_none()
              .touching(Touches::nothing),
          later("members", {R"j({"type": "string", "pattern": "(^|/)\\{name\\}(/|$)"})j"},
                "Path of the names in it, for example **/graph_fusion/{name}/effect_times.")
              .written<T>(value(&NamesInFile::members))
              .or_none()
              .touching(Touches::nothing)};
}

const Block<Clock>& clock_block() {
  using C = Clock;
  static const Block<C> block{
      {.name = "clock",
       .title = "`clock` of `discover`",
       .keys =
           {key("stamp", &C::stamp,
                pattern("time", {"thread"}).checked([](const Value& value, const Where& where, const std::string& stamp) {
                  if (stamp.find("(?P<thread>") == std::string::npos)
                    where.tell(value, fmt::format("`{}` lacks the group `thread`", where.what),
                               "lines of one thread belong together; where there are no threads, `(?P<thread>)` is enough");
                }),
                "RE2 with the groups time (hours:minutes:seconds) and thread: lines that say when they were written.")
                .require("a pattern with the groups `time` and `thread`"),
            key("during", &C::during, pattern(""), "RE2: lines that are written while it still goes on.")},
       .whole = true}};
  return block;
}

const Block<KernelFile>& kernel_file_block() {
  using K = KernelFile;
  static const Block<K> block{
      {.name = "kernel_file",
       .title = "`kernel_file` of `discover`",
       .keys = {key("variable", &K::variable, text(), "Of the subject's environment: the folder of these libraries.")
                    .require("the variable that holds the folder of the device's libraries"),
                key("file", &K::file, text().checked([](const Value& value, const Where& where, const std::string& file) {
                  if (file.find("{name}") == std::string::npos)
                    where.tell(value, fmt::format("`{}` needs {{name}}", where.what));
                }),
                    "Relative to it, with {name}.")
                    .require("relative to that folder, with {name}")},
       .whole = true}};
  return block;
}

Block<Discovery> made_discovery_block() {
  using D = Discovery;
  Block<D> made{
      {.name = "discover",
       .title = "`discover` of a family",
       .keys =
           {key("environment", &D::environment, family_variables(), "Variables of the discovering run or command only."),
            key("ran", &D::ran, pattern("name"),
                "RE2 with the group name: a line for each time that a member ran on the device.")
                .or_none(),
            key("command", &D::command, command(kQueryPlaceholders), "Run once before the search; prints one name per line.")
                .or_none(),
            key("elsewhere", &D::elsewhere, pattern("name"),
                "RE2 with the group name: a line for each time that it ran elsewhere; a suspect is what ran more often than "
                "that.")
                .or_none(),
            key("clock", &D::clock, block(clock_block),
                "How long what ran elsewhere took there: from the line of `elsewhere` to the next one of its thread with a "
                "stamp.")
                .or_none(),
            key("kernel_file", &D::kernel_file, block(kernel_file_block),
                "A file that is there where the device's own libraries have what the framework has no kernel of.")
                .or_none(),
            key("begun", &D::begun, pattern("name"),
                "RE2 with the group name: a line when a member begins, where `ran` is printed at its end. With `goal: "
                "runs`, what began and did not end in a run that broke is a suspect, too.")
                .or_none()},
       .one_of = {.ways = {"ran", "file", "command"},
                  .choice =
                      "one of `ran` (a pattern over the output of a run), `file` with `members` (what a run leaves) and "
                      "`command` (asks the framework)",
                  .with = {"file", "members"}}},
      [](MapReader& reader, D& discovery) {
        discovery.file = read_names_in_file(reader);
        if (!reader.given("ran")) reader.refuse({"elsewhere", "begun"}, "`{what}.{key}` is only for `ran`");
        if (!discovery.elsewhere) reader.refuse({"clock", "kernel_file"}, "`{what}.{key}` is only for `elsewhere`");
      }};
  made.keys = joined(made.keys,
                     file_keys(&D::file, "Or: a JSON file that the run leaves in the attempt's folder; may hold * and ?."));
  return made;
}

Block<Effect> made_effect_block() {
  using E = Effect;
  Block<E> made{
      {.name = "effect",
       .title = "`effect` of a family",
       .keys =
           {key("environment", &E::environment, family_variables(),
                "Variables of every attempt of the subject, so that traces are left; no part of a fix."),
            key("log", &E::log, pattern("name", {"detail"}),
                "RE2 with the group name, and perhaps detail: the trace of a member that is off.")
                .touching(Touches::nothing),
            key("gone_from_log", &E::gone_from_log, pattern("name", {"detail"}),
                "RE2 with the group name, and perhaps detail, why: lines of members that work; one that is off has none.")
                .touching(Touches::nothing)},
       .one_of = {.ways = {"log", "gone_from_log", "file"},
                  .choice =
                      "one of `log` (a trace of what is off), `gone_from_log` and `file` with `members` (what works is "
                      "named, what is off is not)",
                  .with = {"file", "members"}}},
      [](MapReader& reader, E& effect) { effect.gone_from_file = read_names_in_file(reader); }};
  made.keys =
      joined(made.keys, file_keys(&E::gone_from_file, "Or: a JSON file that the run leaves and that names what works."));
  return made;
}

bool read_members_of_file(const Value& value, const Where& where, NeverOff& never) {
  std::string file;
  if (!text().read(value, where, file)) return false;
  for (const auto& name : read_member_file({file, value.place}, where.problems)) never.names.push_back(name.value);
  return true;
}

bool read_never_off_names(const Value& value, const Where& where, NeverOff& never) {
  for (const auto& [name, place] : texts_of(value, where.what, where.problems)) {
    if (std::ranges::count(never.names, name)) where.tell(place, fmt::format("{} is named twice", in_quotes(name)));
    never.names.push_back(name);
  }
  return true;
}

}  // namespace

const Block<Discovery>& discovery_block() {
  static const Block<Discovery> block = made_discovery_block();
  return block;
}

const Block<Effect>& effect_block() {
  static const Block<Effect> block = made_effect_block();
  return block;
}

const Block<NeverOff>& never_off_block() {
  using N = NeverOff;
  static const Block<N> block{
      {.name = "never_off",
       .title = "`never_off` of a family",
       .keys = {special<N>("file", text().shape, read_members_of_file, nullptr,
                           "Of names, one a line, relative to this file; lines that start with # do not count."),
                special<N>("names", member_names().shape, read_never_off_names, nullptr, "As the list writes them."),
                key("instead", &N::instead, text(), "What would switch them off, for the report.")
                    .require("what would neutralise them")},
       .any_of = {"names", "file"},
       .whole = true},
      [](MapReader& reader, N& never) {
        if (!reader.find("file")) (void)reader.require("names", "or a `file` of them");
        std::ranges::sort(never.names);
      }};
  return block;
}

}  // namespace bisectd::configs
