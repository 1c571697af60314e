#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "configs/member_name.hpp"
#include "configs/problems.hpp"
#include "configs/resolved.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/command.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/discovery.hpp"
#include "driver/loop/loop.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "reports/escape.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {

namespace {

struct NamedMembers {
  std::vector<configs::MemberLabel> off;                 ///< what is to be neutralised, in the order of the families
  std::map<std::string, std::string> values;             ///< of each ladder among them, by the ladder's name
  std::vector<configs::MemberLabel> unsure;              ///< those of which only a run can tell that they exist
  std::map<std::string, configs::Selection> selections;  ///< `suspects` of a run in which they are neutralised; families
                                                         ///< of what is unsure discover their members
};

/// Families under `suspects` that can have a member of this name.
std::vector<std::string> families_of(const configs::Experiment& experiment, const std::string& name) {
  std::vector<std::string> families;
  for (const auto& [family_name, selection] : experiment.suspects) {
    configs::Problems problems;
    configs::check_member_name({name, {}}, experiment.families.at(family_name), problems);
    if (problems.empty()) families.push_back(family_name);
  }
  return families;
}

[[noreturn]] void refuse_family(const configs::Experiment& experiment, const std::string& family, const std::string& word) {
  std::vector<std::string> families;
  for (const auto& [name, selection] : experiment.suspects) families.push_back(name);
  const auto right = configs::nearest(family, families);
  throw UsageError(fmt::format(
      "'{}': no family '{}' under `suspects`; {}", word, family,
      right ? fmt::format("did you mean '{}'?", *right) : fmt::format("there is {}", fmt::join(families, ", "))));
}

/// NAME or FAMILY:NAME, put into the experiment as what is to be neutralised.
void choose(const configs::Experiment& experiment, std::map<std::string, configs::Selection>& chosen,
            const std::string& word) {
  const std::size_t colon = word.find(':');
  std::string family = word.substr(0, colon), name = word.substr(colon == std::string::npos ? 0 : colon + 1);
  if (colon == std::string::npos || !experiment.suspects.contains(family)) {
    if (colon != std::string::npos && !word.substr(colon).starts_with("::")) refuse_family(experiment, family, word);
    name = word;
    const std::vector<std::string> families = families_of(experiment, name);
    if (families.empty())
      throw UsageError(
          fmt::format("no family under `suspects` can have a member '{}'; `bisectd families` lists them", name));
    if (families.size() > 1)
      throw UsageError(fmt::format("'{}' can be of {}; write {}:{}", name, fmt::join(families, " or "), families[0], name));
    family = families.front();
  }
  configs::Problems problems;
  const configs::Family& known = experiment.families.at(family);
  if (known.kind == configs::FamilyKind::ladder && name == family)
    throw UsageError(fmt::format("{0} is a ladder: name a value, {0}:{1}", family,
                                 fmt::join(known.ladder.values, fmt::format(" or {}:", family))));
  configs::check_member_name({name, {"--off", 0, 0}}, known, problems);
  problems.throw_if_any("--off");
  if (std::ranges::binary_search(known.never_off.names, name))
    throw UsageError(fmt::format("{}:{} is always on; {}", family, name, known.never_off.instead));
  std::vector<configs::Placed<std::string>>& members = chosen[family].members;
  if (known.kind == configs::FamilyKind::ladder && !members.empty() && members.front().value != name)
    throw UsageError(fmt::format("{0} is one knob: it cannot be {1} and {2} at once; try one value after the other", family,
                                 members.front().value, name));
  members.push_back({name, {}});
}

/// Names of a list's members that the experiment says itself, in whatever way.
std::vector<std::string> names_said(const configs::Family& family, const configs::Selection& selection) {
  std::vector<std::string> names;
  for (const auto* said : {&family.members, &selection.members, &selection.exclude})
    for (const auto& name : *said) names.push_back(name.value);
  return names;
}

/// Whether only a run, or the framework, can tell that the family has this member. Throws UsageError if nothing can.
bool is_unsure(const configs::Family& family, const configs::Selection& selection, const std::string& name) {
  if (family.kind != configs::FamilyKind::list || !family.known_names.empty()) return false;  // choose() knew all names
  const std::vector<std::string> said = names_said(family, selection);
  if (std::ranges::count(said, name)) return false;
  if (family.discover) return true;
  const auto right = configs::nearest(name, said);
  throw UsageError(fmt::format("the experiment names no member '{}' of family {}; {}", name, family.name,
                               right ? fmt::format("did you mean '{}'?", *right)
                                     : fmt::format("add it to `suspects.{}`, or name one that is there", family.name)));
}

/// The value of each ladder that is neutralised, by the ladder's name.
std::map<std::string, std::string> values_in(const configs::Experiment& experiment,
                                             const std::map<std::string, configs::Selection>& chosen) {
  std::map<std::string, std::string> values;
  for (const auto& [family, selection] : chosen)
    if (experiment.families.at(family).kind == configs::FamilyKind::ladder && !selection.members.empty())
      values[family] = selection.members.front().value;
  return values;
}

std::vector<configs::MemberLabel> labels_in(const std::map<std::string, configs::Selection>& chosen) {
  std::vector<configs::MemberLabel> labels;
  for (const auto& [family, selection] : chosen)
    for (const auto& member : selection.members) labels.push_back({family, member.value});
  return labels;
}

/// The switches that the experiment itself selects, beside those that are chosen.
void add_known(configs::Selection& chosen, const configs::Experiment& experiment, const std::string& family) {
  for (const std::string& name : neutralise::known_suspects(experiment.families.at(family), experiment.suspects.at(family)))
    if (!std::ranges::count(chosen.members, name, &configs::Placed<std::string>::value))
      chosen.members.push_back({name, {}});
}

/// Throws UsageError and configs::ConfigError for a word that names nothing, or two things, and for members that cannot be
/// neutralised together; with the nearest right word where there is one.
NamedMembers named_members(const configs::Experiment& experiment, const std::vector<std::string>& words) {
  NamedMembers named;
  std::map<std::string, configs::Selection>& chosen = named.selections;
  for (const auto& [name, selection] : experiment.suspects) chosen[name].place = selection.place;
  for (const std::string& word : words) choose(experiment, chosen, word);
  named.off = labels_in(chosen);
  named.values = values_in(experiment, chosen);
  for (const configs::MemberLabel& label : named.off)
    if (is_unsure(experiment.families.at(label.family), experiment.suspects.at(label.family), label.name)) {
      named.unsure.push_back(label);
      chosen[label.family].discover = true;
    }
  for (auto& [name, selection] : chosen)  // switches that stay on have their suspect values, as in the search
    if (experiment.families.at(name).kind == configs::FamilyKind::toggle) add_known(selection, experiment, name);
  return named;
}

struct TrialOptions {
  std::string experiment;
  std::vector<std::string> off;
  std::string out = "bisectd-out";
  bool json = false;
};

/// Throws UsageError for a name that no run of the subject shows.
void refuse_unseen(Run& run, const std::vector<configs::MemberLabel>& unsure) {
  if (unsure.empty()) return;
  log::info("the experiment does not name every member to be switched off; a run shows which there are");
  const SeenMembers seen = discover(run);
  for (const auto& [family, name] : unsure) {
    std::vector<std::string> names;
    for (const neutralise::Discovered* found : {&seen.members, &seen.never_off})
      if (const auto of_family = found->find(family); of_family != found->end())
        names.insert(names.end(), of_family->second.begin(), of_family->second.end());
    if (std::ranges::count(names, name)) continue;
    const auto right = configs::nearest(name, names);
    throw UsageError(fmt::format("no member '{}' of family {} is used on the device by a run of the subject; {}", name,
                                 family,
                                 right ? fmt::format("did you mean '{}'?", *right)
                                       : fmt::format("`bisectd discover` lists the {} that are", names.size())));
  }
}

ExitCode trial(const TrialOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  const std::string resolved = configs::resolved_yaml(experiment);
  const NamedMembers named = named_members(experiment, options.off);
  experiment.suspects = named.selections;
  HandRun run(experiment, resolved, options.out, "trial");
  for (const auto& [family, name] : named.off)
    if (const std::string& why = configs::overwritten(experiment.families.at(family), name); !why.empty())
      throw UsageError(fmt::format("{}:{} cannot be switched off: {}", family, name, why));
  refuse_unseen(run.run(), named.unsure);
  const auto [frame, judged] = run_one_trial(run.run(), named.off);
  if (options.json) {
    nlohmann::ordered_json json{{"verdict", reports::verdict_word(judged.verdict)},
                                {"reason", judged.reason},
                                {"text", judged.text},
                                {"delta", nullptr},
                                {"values", named.values},
                                {"notes", judged.notes},
                                {"attempts", nlohmann::ordered_json::array()}};
    if (judged.delta) json["delta"] = *judged.delta;
    for (const reports::Attempt& attempt : judged.attempts)
      json["attempts"].push_back((run.directory().folder() / attempt.folder).string());
    fmt::print("{}\n", json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", reports::trial_line(frame, judged, run.run().state.history.order_judged.size()));
    if (judged.verdict == strategies::Verdict::unresolved)
      fmt::print("  {}; its logs: {}\n", reports::plain(judged.text),
                 reports::plain((run.directory().folder() / judged.attempts.back().folder).string()));
    for (const auto& [ladder, value] : named.values) fmt::print("  {} was {}\n", ladder, reports::plain(value));
    for (const std::string& note : judged.notes) fmt::print("  {}\n", reports::plain(note));
  }
  return trial_exit_code(judged.verdict);
}

}  // namespace

void add_trial(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "trial", "run and judge one trial, with the suspects that you name switched off", trial);
  add_experiment(command, options.experiment);
  command.add_option("--off", options.off, "names, comma-separated: NAME or FAMILY:NAME; none: the subject as it is")
      ->delimiter(',');
  command.add_option("--out", options.out, "folder that gets the run's directory")->capture_default_str();
  add_stderr_options(command);
  command.add_flag("--json", options.json, "print JSON instead of text on stdout");
}

}  // namespace bisectd::driver::commands
