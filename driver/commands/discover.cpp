#include "driver/commands/discover.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "driver/commands/drive.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/loop/both_ends.hpp"

namespace bisectd::driver::commands {
namespace {

struct DiscoverOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool quiet = false;
  bool json = false;
};

/// What keeps a member from being a suspect: the list names it already, or it cannot be neutralised; else nothing.
std::string remark(const configs::Family& family, const std::string& name, const std::vector<std::string>& off) {
  if (std::ranges::count(off, name)) return "off already";
  if (std::ranges::binary_search(family.never_off.names, name)) return "always on; " + family.never_off.instead;
  return {};
}

int discover(const DiscoverOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  bool any = false;
  for (auto& [name, selection] : experiment.suspects) {
    selection.discover = experiment.families.at(name).discover.has_value();
    any = any || selection.discover;
  }
  if (!any) throw UsageError("no family under `suspects` can discover its members; `bisectd families` says which can");
  HandRun run(experiment, options.out, "discover", options.quiet);
  const neutralise::Discovered found = discover(run.night());
  const neutralise::Discovered off = run.off_already();
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, selection] : experiment.suspects) {
    if (!selection.discover) continue;
    const auto members = found.find(name);
    const auto family_off = off.find(name);
    const std::size_t count = members == found.end() ? 0 : members->second.size();
    if (!options.json) fmt::print("{}: {} members{}\n", name, count, count ? "" : ": none was seen on the device");
    json[name] = nlohmann::ordered_json::array();
    if (members == found.end()) continue;
    for (const std::string& member : members->second) {
      const std::string note = remark(experiment.families.at(name), member,
                                      family_off == off.end() ? std::vector<std::string>{} : family_off->second);
      json[name].push_back({{"name", member}, {"remark", note}});
      if (!options.json) fmt::print("  {}{}\n", member, note.empty() ? "" : "  (" + note + ")");
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace

void add_discover(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DiscoverOptions>();
  CLI::App* command = app.add_subcommand("discover", "show which members of the families one run of the subject uses");
  command->add_option("EXPERIMENT", options->experiment, "the experiment file (YAML)")->required();
  command->add_option("--out", options->out, "folder that gets the run's directory")->capture_default_str();
  command->add_flag("-q,--quiet", options->quiet, "no progress on stderr");
  command->add_flag("--json", options->json, "print JSON instead of text on stdout");
  command->callback([&action, options] { action = [options] { return discover(*options); }; });
}

}  // namespace bisectd::driver::commands
