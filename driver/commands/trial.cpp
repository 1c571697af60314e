#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "configs/resolved.hpp"
#include "configs/suggest.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/commands/named_members.hpp"
#include "driver/commands/positional.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/discovery.hpp"
#include "driver/loop/loop.hpp"
#include "reports/escape.hpp"
#include "reports/progress.hpp"
#include "reports/verdict_words.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

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
  const auto options = std::make_shared<TrialOptions>();
  CLI::App* command = app.add_subcommand("trial", "run and judge one trial, with the suspects that you name switched off");
  add_experiment(*command, options->experiment);
  command->add_option("--off", options->off, "names, comma-separated: NAME or FAMILY:NAME; none: the subject as it is")
      ->delimiter(',');
  command->add_option("--out", options->out, "folder that gets the run's directory")->capture_default_str();
  add_stderr_options(*command);
  command->add_flag("--json", options->json, "print JSON instead of text on stdout");
  command->callback([&action, options] { action = [options] { return trial(*options); }; });
}

}  // namespace bisectd::driver::commands
