#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "configs/loader.hpp"
#include "configs/member_name.hpp"
#include "configs/problems.hpp"
#include "configs/resolved.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/loop/loop.hpp"
#include "reports/console.hpp"
#include "reports/escape.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

struct TrialOptions {
  std::string experiment;
  std::vector<std::string> off;
  std::string out = "bisectd-out";
  bool json = false;
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
void choose(configs::Experiment& experiment, std::map<std::string, configs::Selection>& chosen, const std::string& word) {
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

/// Throws UsageError for two members that cannot be neutralised together.
void refuse_exclusive(const configs::Experiment& experiment, const std::map<std::string, configs::Selection>& chosen) {
  for (const std::vector<configs::MemberLabel>& group : experiment.relations.exclusive) {
    std::vector<std::string> both;
    for (const configs::MemberLabel& member : group) {
      const auto family = chosen.find(member.family);
      if (family != chosen.end() &&
          std::ranges::count(family->second.members, member.name, &configs::Placed<std::string>::value))
        both.push_back(member.family + ":" + member.name);
    }
    if (both.size() > 1)
      throw UsageError(
          fmt::format("{} cannot be switched off together: `relations.exclusive` says so", fmt::join(both, " and ")));
  }
}

/// The switches that the experiment itself selects, beside those that are chosen.
void add_known(configs::Selection& chosen, const configs::Experiment& experiment, const std::string& family) {
  for (const std::string& name : neutralise::known_suspects(experiment.families.at(family), experiment.suspects.at(family)))
    if (!std::ranges::count(chosen.members, name, &configs::Placed<std::string>::value))
      chosen.members.push_back({name, {}});
}

int trial_exit_code(strategies::Verdict verdict) {
  switch (verdict) {
    case strategies::Verdict::pass: return 0;
    case strategies::Verdict::fail: return 1;
    case strategies::Verdict::inconclusive: return 3;
    case strategies::Verdict::unresolved: return 4;
  }
  return 70;
}

int trial(const TrialOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  const std::string resolved = configs::resolved_yaml(experiment);
  std::map<std::string, configs::Selection> chosen;
  for (auto& [name, selection] : experiment.suspects) chosen[name].place = selection.place;
  for (const std::string& word : options.off) choose(experiment, chosen, word);
  refuse_exclusive(experiment, chosen);
  const std::vector<configs::MemberLabel> off = labels_in(chosen);
  const std::map<std::string, std::string> values = values_in(experiment, chosen);
  for (auto& [name, selection] : chosen)  // switches that stay on have their suspect values, as in the search
    if (experiment.families.at(name).kind == configs::FamilyKind::toggle) add_known(selection, experiment, name);
  experiment.suspects = chosen;
  HandRun run(experiment, resolved, options.out, "trial");
  const auto [frame, judged] = run_one_trial(run.run(), off);
  if (options.json) {
    nlohmann::ordered_json json{{"verdict", reports::verdict_word(judged.verdict)},
                                {"reason", judged.reason},
                                {"text", judged.text},
                                {"delta", nullptr},
                                {"values", values},
                                {"notes", judged.notes},
                                {"attempts", nlohmann::ordered_json::array()}};
    if (judged.delta) json["delta"] = *judged.delta;
    for (const reports::Attempt& attempt : judged.attempts)
      json["attempts"].push_back((run.directory().folder() / attempt.folder).string());
    fmt::print("{}\n", json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", reports::trial_line(frame, judged, run.run().state.history.order_judged.size()));
    for (const auto& [ladder, value] : values) fmt::print("  {} was {}\n", ladder, reports::plain(value));
    for (const std::string& note : judged.notes) fmt::print("  {}\n", reports::plain(note));
  }
  return trial_exit_code(judged.verdict);
}

}  // namespace

void add_trial(CLI::App& app, Action& action) {
  const auto options = std::make_shared<TrialOptions>();
  CLI::App* command = app.add_subcommand("trial", "run and judge one trial, with the suspects that you name switched off");
  command->add_option("EXPERIMENT", options->experiment, "the experiment file (YAML)")->required();
  command->add_option("--off", options->off, "names, comma-separated: NAME or FAMILY:NAME; none: the subject as it is")
      ->delimiter(',');
  command->add_option("--out", options->out, "folder that gets the run's directory")->capture_default_str();
  add_stderr_options(*command);
  command->add_flag("--json", options->json, "print JSON instead of text on stdout");
  command->callback([&action, options] { action = [options] { return trial(*options); }; });
}

}  // namespace bisectd::driver::commands
