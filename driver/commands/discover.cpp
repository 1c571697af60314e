#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "configs/experiment.hpp"
#include "configs/resolved.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/exit_code.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/loop/discovery.hpp"
#include "driver/read/follow.hpp"
#include "driver/read/names.hpp"
#include "driver/read/sieve.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/watch.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {

namespace {

/// What a run computed on the CPU because the device has no kernel for it.
struct Missing {
  std::string name;               ///< as the log writes it
  std::string detail;             ///< a dtype, say; empty where the log has none
  std::int64_t lines = 0;         ///< of the log: a launch each, or one for the whole process, as the framework logs it
  std::optional<double> seconds;  ///< off the device, where the log has stamps
  std::optional<std::string> kernel_file;  ///< of the device's own libraries
};

std::vector<read::NamePattern> missing_patterns(const configs::Family& family) {
  std::vector<read::NamePattern> patterns;
  if (family.effect && !family.effect->log.value.empty()) patterns.push_back({family.effect->log.value});
  patterns.push_back({family.discover->elsewhere->value});
  return patterns;
}

/// Each log by itself, since threads of two have one name.
std::map<read::FoundName, double> seconds_elsewhere(const std::vector<std::filesystem::path>& logs,
                                                    const configs::Family& family) {
  std::map<read::FoundName, double> seconds;
  if (!family.discover->clock) return seconds;
  for (const std::filesystem::path& log : logs) {
    read::TimeElsewhere time(missing_patterns(family), family.discover->clock->stamp.value,
                             family.discover->clock->during.value);
    read::Sieve every_line;
    every_line.add({.any_line = true});
    read::Follower follower(log);
    follower.finish(
        [&](const read::Block& block) { every_line.pick(block, [&](const read::Line& line) { time.feed(line); }); });
    for (const auto& [found, took] : time.seconds()) seconds[found] += took;
  }
  return seconds;
}

/// The file of the device's libraries that has this name: as the log writes it, without an overload (foo.out) and the
/// underscore of an operator in place, `_grad` as `_backward`. Nothing where there is none, or where no libraries are.
std::optional<std::string> kernel_file(const configs::Family& family, const std::string& name,
                                       const neutralise::Environment& environment) {
  const auto& kernel = family.discover->kernel_file;
  if (!kernel) return std::nullopt;
  const auto folder = environment.find(kernel->variable.value);
  if (folder == environment.end() || folder->second.empty()) return std::nullopt;
  std::string stem = name.substr(0, name.find('.'));
  boost::trim_if(stem, boost::is_any_of("_"));
  for (const std::string& one : {stem, boost::replace_last_copy(stem, "_grad", "_backward")}) {
    const std::filesystem::path file =
        std::filesystem::path(folder->second) / boost::replace_all_copy(kernel->file.value, "{name}", one);
    std::error_code unknown;
    if (std::filesystem::is_regular_file(file, unknown)) return file.string();
  }
  return std::nullopt;
}

/// By the patterns of the family: its traces, where they tell dtypes apart, and what ran elsewhere. What took longest first,
/// then the most frequent.
std::vector<Missing> missing_in(const std::vector<std::filesystem::path>& logs, const configs::Family& family,
                                const neutralise::Environment& environment) {
  read::NameCounter counter(missing_patterns(family));
  read::Sieve sieve;
  for (const read::Needed& needed : counter.needed()) sieve.add(needed);
  for (const std::filesystem::path& log : logs) {
    read::Follower follower(log);
    follower.finish(
        [&](const read::Block& block) { sieve.pick(block, [&](const read::Line& line) { counter.feed(line); }); });
  }
  const std::map<read::FoundName, double> seconds = seconds_elsewhere(logs, family);
  std::vector<Missing> missing;
  std::set<std::string> told;  // both patterns may fit one line
  for (const read::NameCounts& counts : counter.counts()) {
    std::set<std::string> here;
    for (const auto& [found, lines] : counts)
      if (!told.contains(found.name)) {
        const auto took = seconds.find(found);
        missing.push_back({.name = found.name,
                           .detail = found.detail,
                           .lines = lines,
                           .seconds = took == seconds.end() ? std::nullopt : std::optional(took->second),
                           .kernel_file = kernel_file(family, found.name, environment)});
        here.insert(found.name);
      }
    told.merge(here);
  }
  std::ranges::stable_sort(missing, std::ranges::greater{},
                           [](const Missing& one) { return std::pair(one.seconds.value_or(0), one.lines); });
  return missing;
}

/// Logs of the only trial that was run.
std::vector<std::filesystem::path> logs_of(const Run& run, const configs::Side& subject) {
  const PastTrial& trial = run.state.history.trials.back();
  return log_files(subject, run.directory.attempt(trial.number, trial.attempts.back().number));
}

void print_missing(const Missing& one, bool is_listed) {
  std::string more = one.seconds ? fmt::format(", {:.2f} s", *one.seconds) : "";
  if (one.kernel_file) more += fmt::format("; the device's libraries have {}", reports::plain(*one.kernel_file));
  fmt::print("  {}{}: {} line{} of the log{}{}\n", reports::plain(one.name),
             one.detail.empty() ? "" : " (" + reports::plain(one.detail) + ")", one.lines, one.lines == 1 ? "" : "s", more,
             is_listed ? "  (off already)" : "");
}

nlohmann::ordered_json as_json_object(const Missing& one, bool is_listed) {
  nlohmann::ordered_json json = {
      {"name", one.name}, {"dtype", one.detail}, {"lines", one.lines}, {"remark", is_listed ? "off already" : ""}};
  if (one.seconds) json["seconds"] = *one.seconds;
  if (one.kernel_file) json["kernel_file"] = *one.kernel_file;
  return json;
}

/// What the list cannot tell, and why.
std::string remark_on(const configs::Family& family, const std::vector<Missing>& missing,
                      const neutralise::Environment& environment) {
  const bool timed = std::ranges::any_of(missing, [](const Missing& one) { return one.seconds.has_value(); });
  std::string remark = timed ? "seconds: on the CPU and copying to and fro, in this run, which logs every launch"
                             : "how long they took is not known: the log has no time stamp of each launch";
  const auto& kernel = family.discover->kernel_file;
  if (!kernel) return remark;
  const auto folder = environment.find(kernel->variable.value);
  return remark + (folder == environment.end() || folder->second.empty()
                       ? fmt::format("; whether the device's libraries have them is not known: the subject has no {}",
                                     kernel->variable.value)
                       : "; a library's file is found by its name, and one of another name is not found");
}

/// Prints, of the discovery run that was made, each such member by dtype: lines of the log, seconds where its lines have
/// stamps, and the file of the device's own libraries that has its name. Members that the subject lists itself leave the
/// same lines, and are marked. Returns the exit code.
ExitCode list_missing_kernels(const configs::Experiment& experiment, HandRun& run, bool as_json) {
  const neutralise::Discovered off = run.off_already();
  const neutralise::Environment& environment = run.run().sides.subject.environment;
  const std::vector<std::filesystem::path> logs = logs_of(run.run(), experiment.subject);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    if (!selection.discover || !family.discover->elsewhere) continue;
    const std::vector<Missing> missing = missing_in(logs, family, environment);
    if (!as_json) fmt::print("{}: {} without a kernel of the device\n", name, missing.size());
    json[name] = nlohmann::ordered_json::array();
    const auto listed = off.find(name);
    for (const Missing& one : missing) {
      const bool is_listed = listed != off.end() && std::ranges::count(listed->second, WatchList::written(family, one.name));
      json[name].push_back(as_json_object(one, is_listed));
      if (!as_json) print_missing(one, is_listed);
    }
    if (!as_json && !missing.empty()) fmt::print("  ({})\n", remark_on(family, missing, environment));
  }
  if (as_json) fmt::print("{}\n", json.dump(2));
  return ExitCode::success;
}

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
  const auto [command, options] =
      add_command(app, action, "discover", "show which suspects one run of the subject really uses", discover);
  add_experiment(command, options.experiment);
  command.add_option("--out", options.out, "folder that gets the run's directory")->capture_default_str();
  add_stderr_options(command);
  command.add_flag("--missing", options.missing,
                   "list what ran on the CPU because the device has no kernel for it, instead");
  command.add_flag("--json", options.json, "print JSON instead of text on stdout");
}

}  // namespace bisectd::driver::commands
