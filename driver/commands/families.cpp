#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "configs/loader.hpp"
#include "driver/commands/arguments.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {
namespace {

using Json = nlohmann::ordered_json;

struct FamiliesOptions {
  std::string preset;
  bool json = false;
};

/// "file fusion_switch.cfg, told by X", "variable X", "argument --off={names}".
std::string delivery(const configs::Delivery& deliver) {
  if (deliver.config) return fmt::format("key {} of {}", deliver.config->key, deliver.config->file.value);
  const std::string by = deliver.environment
                             ? "variable " + *deliver.environment + (deliver.value.empty() ? "" : "=" + deliver.value)
                             : fmt::format("argument {}", fmt::join(deliver.argument, " "));
  return deliver.file ? fmt::format("file {}, told by {}", deliver.file->name, by) : by;
}

std::string known_members(const configs::Family& family) {
  std::vector<std::string> names;
  for (const auto& member : family.members) names.push_back(member.value);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string discovery(const configs::Family& family) {
  if (!family.discover) return family.members.empty() ? "named by hand" : known_members(family);
  const std::string known = family.members.empty() ? "" : known_members(family) + "; or ";
  if (family.discover->asks_framework()) return known + "asked of the framework";
  return known + (family.discover->file ? "discovered in " + family.discover->file->file : "discovered in the log of a run");
}

std::string effect(const configs::Family& family) {
  if (!family.effect) return "not checked";
  if (family.effect->gone_from_file) return "checked: gone from " + family.effect->gone_from_file->file;
  return family.effect->gone_from_log ? "checked: gone from the log" : "checked: a line in the log";
}

std::string setting(const std::optional<std::string>& value) { return value.value_or("unset"); }

void print_text(const std::map<std::string, configs::Family>& families) {
  for (const auto& [name, family] : families) {
    fmt::print("{} ({}): {}\n", name, configs::name_of(family.kind), reports::plain(family.description));
    if (family.kind == configs::FamilyKind::list) {
      fmt::print("  delivered by {}\n  members: {}{}\n  effect: {}\n", reports::plain(delivery(family.deliver)),
                 reports::plain(discovery(family)),
                 family.known_names.empty() ? "" : fmt::format("; {} names are known", family.known_names.size()),
                 effect(family));
      if (!family.never_off.names.empty())
        fmt::print("  always on: {} names; {}\n", family.never_off.names.size(), reports::plain(family.never_off.instead));
    }
    if (family.kind == configs::FamilyKind::ladder)
      fmt::print("  delivered by {}\n  values: {}\n", reports::plain(delivery(family.deliver)),
                 reports::plain(fmt::format("{}", fmt::join(family.ladder.values, ", "))));
    for (const auto& [switch_name, toggle] : family.toggles)
      fmt::print("  {}: {}, safe {}. {}\n", switch_name, reports::plain(delivery(toggle.deliver)),
                 reports::plain(setting(toggle.safe)), reports::plain(toggle.description));
  }
}

Json to_json(const configs::Family& family) {
  Json json{{"kind", configs::name_of(family.kind)}, {"description", family.description}};
  if (family.kind == configs::FamilyKind::list) {
    json["delivery"] = delivery(family.deliver);
    json["members"] = discovery(family);
    json["effect"] = effect(family);
    json["known_names"] = family.known_names;
    json["always_on"] = family.never_off.names;
  }
  if (family.kind == configs::FamilyKind::ladder) {
    json["delivery"] = delivery(family.deliver);
    json["values"] = family.ladder.values;
  }
  for (const auto& [name, toggle] : family.toggles)
    json["switches"][name] = {{"delivery", delivery(toggle.deliver)},
                              {"safe", setting(toggle.safe)},
                              {"description", toggle.description},
                              {"source", toggle.source}};
  return json;
}

ExitCode families(const FamiliesOptions& options) {
  if (options.preset.empty()) {
    const std::vector<std::string> names = configs::preset_names();
    if (options.json) fmt::print("{}\n", Json(names).dump(2));
    else fmt::print("{}\n", fmt::join(names, "\n"));
    return ExitCode::success;
  }
  const auto found = configs::load_families(options.preset);
  if (!options.json && found.empty()) return fmt::print("no families\n"), ExitCode::success;
  if (!options.json) return print_text(found), ExitCode::success;
  Json json = Json::object();
  for (const auto& [name, family] : found) json[name] = to_json(family);
  fmt::print("{}\n", json.dump(2));
  return ExitCode::success;
}

}  // namespace

void add_families(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "families", "list what a preset can switch off, and how; without one, the presets", families);
  command.add_option("PRESET", options.preset, "a preset's name, or a file of your own (YAML)");
  command.add_flag("--json", options.json, "print JSON instead of text on stdout");
}

}  // namespace bisectd::driver::commands
