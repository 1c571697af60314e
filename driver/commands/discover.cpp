#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "configs/resolved.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/commands/missing_kernels.hpp"
#include "driver/commands/positional.hpp"
#include "driver/loop/discovery.hpp"

namespace bisectd::driver::commands {
namespace {

struct DiscoverOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool json = false;
  bool missing = false;
};

/// What keeps a member from being a suspect: the list names it already, or it cannot be neutralised; else nothing.
std::string remark(const configs::Family& family, const std::string& name, const neutralise::Discovered& off,
                   const neutralise::Discovered& never_off) {
  const auto in = [&](const neutralise::Discovered& names) {
    const auto listed = names.find(family.name);
    return listed != names.end() && std::ranges::count(listed->second, name) > 0;
  };
  if (in(off)) return "off already";
  if (std::ranges::binary_search(family.never_off.names, name)) return "always on; " + family.never_off.instead;
  if (in(never_off)) return "cannot be neutralised; the log says why";
  return {};
}

ExitCode discover(const DiscoverOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  const std::string resolved = configs::resolved_yaml(experiment);
  bool any = false;
  for (auto& [name, selection] : experiment.suspects) {
    selection.discover = experiment.families.at(name).discover.has_value();
    any = any || selection.discover;
  }
  if (!any) throw UsageError("no family under `suspects` can discover its members; `bisectd families` says which can");
  if (options.missing && std::ranges::none_of(experiment.suspects, [&](const auto& entry) {
        return entry.second.discover && experiment.families.at(entry.first).discover->elsewhere;
      }))
    throw UsageError(
        "no family under `suspects` shows what ran elsewhere (`discover.elsewhere`); `ops` of paddle-npu and torch-npu do");
  HandRun run(experiment, resolved, options.out, "discover");
  const SeenMembers seen = discover(run.run());
  const neutralise::Discovered& found = seen.members;
  if (options.missing) return list_missing_kernels(experiment, run, options.json);
  const neutralise::Discovered off = run.off_already();
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, selection] : experiment.suspects) {
    if (!selection.discover) continue;
    const auto members = found.find(name);
    const std::size_t count = members == found.end() ? 0 : members->second.size();
    if (!options.json) fmt::print("{}: {} members{}\n", name, count, count ? "" : ": none was seen on the device");
    json[name] = nlohmann::ordered_json::array();
    if (members == found.end()) continue;
    for (const std::string& member : members->second) {
      const std::string note = remark(experiment.families.at(name), member, off, seen.never_off);
      json[name].push_back({{"name", member}, {"remark", note}});
      if (!options.json) fmt::print("  {}{}\n", member, note.empty() ? "" : "  (" + note + ")");
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
  return ExitCode::success;
}

}  // namespace

void add_discover(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DiscoverOptions>();
  CLI::App* command = app.add_subcommand("discover", "show which suspects one run of the subject really uses");
  add_experiment(*command, options->experiment);
  command->add_option("--out", options->out, "folder that gets the run's directory")->capture_default_str();
  add_stderr_options(*command);
  command->add_flag("--missing", options->missing,
                    "list what ran on the CPU because the device has no kernel for it, instead");
  command->add_flag("--json", options->json, "print JSON instead of text on stdout");
  command->callback([&action, options] { action = [options] { return discover(*options); }; });
}

}  // namespace bisectd::driver::commands
