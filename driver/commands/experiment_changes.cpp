#include "driver/commands/experiment_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <map>
#include <vector>

#include "configs/schema.hpp"
#include "configs/shell_word.hpp"
#include "configs/yaml_tree.hpp"
#include "driver/commands/command.hpp"

namespace bisectd::driver {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  return lines;
}

/// Lines of `a` that `b` has not, in order. Enough to show a changed value; not a minimal edit script.
std::string only_in(const std::vector<std::string>& a, const std::vector<std::string>& b, const char* mark) {
  std::string text;
  for (const std::string& line : a)
    if (!line.empty() && !std::ranges::count(b, line)) text += std::string("\n  ") + mark + " " + line;
  return text;
}

using Path = std::vector<std::string>;  ///< of a setting: accept, target
using Settings = std::map<Path, std::string>;

std::string text_of(const configs::Value& value) {
  if (value.kind == configs::Value::Kind::scalar) return value.text;
  std::vector<std::string> parts;
  for (const configs::Value& item : value.items) parts.push_back(text_of(item));
  for (const auto& entry : value.entries) parts.push_back(entry.key + ": " + text_of(entry.value));
  return "[" + boost::join(parts, ", ") + "]";
}

void collect(const configs::Value& value, Path& path, Settings& settings) {
  if (value.kind != configs::Value::Kind::map) settings[path] = text_of(value);
  for (const auto& entry : value.entries) {
    path.push_back(entry.key);
    collect(entry.value, path, settings);
    path.pop_back();
  }
}

Settings settings_in(const std::string& resolved) {
  Settings settings;
  Path path;
  configs::Problems problems;
  const auto tree = configs::parse_yaml(resolved, "", problems);
  problems.throw_if_any("the experiment as a run has it");
  if (tree) collect(*tree, path, settings);
  return settings;
}

bool has_any_below(const Settings& settings, const Path& path, std::size_t length) {
  const Path above(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(std::min(length, path.size())));
  const auto found = settings.lower_bound(above);
  return found != settings.end() && found->first.size() >= above.size() &&
         std::equal(above.begin(), above.end(), found->first.begin());
}

/// Whether what was judged says the same when this is changed, as its key declares it.
bool is_free(const Path& path, const Settings& then) {
  const auto was = [&](const Path& of, const char* value) {
    const auto found = then.find(of);
    return found != then.end() && found->second == value;
  };
  if (path.front() == "suspects")  // the values of a ladder say which one neutralises it
    return path.size() < 2 || !was({"families", path[1], "kind"}, "ladder");
  if (path.front() == "families" && !has_any_below(then, path, 2)) return true;  // new, so nothing was judged by it
  const bool toggle = path.front() == "families" && path.size() > 3 && path[2] == "toggles";
  if (toggle && !has_any_below(then, path, 4)) return true;
  const configs::Touches touches = configs::touched_by(path);
  if (touches == configs::Touches::unless_runs) return !was({"accept", "goal"}, "runs");  // a hang is an answer there
  return touches == configs::Touches::nothing;
}

/// The references do not rest on the subject, nor on how it is judged: their curves are read again.
bool touches_reference(const Path& path) {
  return path.front() == "reference" || path.front() == "hold" || path.front() == "steps";
}

}  // namespace

std::vector<std::string> changes_under_verdicts(const History& past, const std::string& resolved_then,
                                                const std::string& resolved_now) {
  const auto gave_a_curve = [](const Attempt& attempt) { return !attempt.set_aside && is_whole(attempt.ending); };
  const auto any = [&](auto is_meant) {  // attempts of a trial that is not judged yet will be judged with those to come
    return std::ranges::any_of(past.trials, [&](const PastTrial& trial) {
      return !trial.failed && is_meant(trial.role) && (trial.judgement || std::ranges::any_of(trial.attempts, gave_a_curve));
    });
  };
  const bool verdicts = any([](Role role) { return is(role, reports::kEvidence) || role == Role::discovery; }),
             references = any([](Role role) { return role == Role::reference; });
  if (resolved_then == resolved_now || (!verdicts && !references)) return {};
  const Settings then = settings_in(resolved_then), now = settings_in(resolved_now);
  Settings all = then;
  all.insert(now.begin(), now.end());
  std::vector<std::string> changes;
  for (const auto& [path, value] : all) {
    const auto before = then.find(path), after = now.find(path);
    const bool same = before != then.end() && after != now.end() && before->second == after->second;
    if (same || is_free(path, then) || (!verdicts && !touches_reference(path))) continue;
    if (before != then.end()) changes.push_back(fmt::format("- {}: {}", boost::join(path, "."), before->second));
    if (after != now.end()) changes.push_back(fmt::format("+ {}: {}", boost::join(path, "."), after->second));
  }
  return changes;
}

void refuse_changes_under_verdicts(const History& past, const std::string& resolved_then, const std::string& resolved_now) {
  const std::vector<std::string> changes = changes_under_verdicts(past, resolved_then, resolved_now);
  if (!changes.empty())
    throw commands::UsageError("the experiment (or its preset) has changed in what this run's verdicts rest on:\n  " +
                               boost::join(changes, "\n  ") +
                               "\nWhat was judged before would answer another question: put it back, or start anew with "
                               "--new.");
}

void refuse_other_recording(const History& past, const std::string& recording) {
  if (past.recording.empty() || recording.empty() || past.recording == recording) return;
  throw commands::UsageError(
      "the recorded reference (`reference.curve`) is not the one that this run began with.\nWhat was judged before would "
      "answer another question: put it back, or start anew with --new.");
}

void refuse_other_setup(const History& past, const std::map<std::string, std::string>& files, bool accepted) {
  if (accepted || !past.setup_files) return;
  std::vector<std::string> changed, added, removed;
  for (const auto& [name, digest] : files)
    if (const auto then = past.setup_files->find(name); then == past.setup_files->end()) added.push_back(name);
    else if (then->second != digest) changed.push_back(name);
  for (const auto& [name, digest] : *past.setup_files)
    if (!files.contains(name)) removed.push_back(name);
  std::vector<std::string> what;
  for (const auto& [names, done] : {std::pair(&changed, "changed"), {&added, "added"}, {&removed, "removed"}})
    if (!names->empty())
      what.push_back(fmt::format("{} {} {}", fmt::join(*names, ", "), names->size() == 1 ? "was" : "were", done));
  if (what.empty()) return;
  throw commands::UsageError(
      fmt::format("{} since this run began, and `setup` names {}.\nWhat was judged before may answer another question: undo "
                  "that, or go on all the same with --accept-changes, or start anew with --new.",
                  fmt::join(what, ", "), changed.size() + added.size() + removed.size() == 1 ? "it" : "them"));
}

void refuse_other_shell(const History& past, const std::map<std::string, std::string>& inherited) {
  if (!past.inherited || *past.inherited == inherited) return;
  std::string changes;
  for (const auto& [name, value] : *past.inherited)
    if (const auto now = inherited.find(name); now == inherited.end() || now->second != value)
      changes += fmt::format("\n  - {}", configs::shell_quoted(fmt::format("{}={}", name, value)));
  for (const auto& [name, value] : inherited)
    if (const auto then = past.inherited->find(name); then == past.inherited->end() || then->second != value)
      changes += fmt::format("\n  + {}", configs::shell_quoted(fmt::format("{}={}", name, value)));
  throw commands::UsageError("the shell has other settings of the subject than when this run began:" + changes +
                             "\nWhat was judged before would answer another question: set them as they were (-), or start "
                             "anew with --new.");
}

void refuse_by_hand(const History& past, const std::filesystem::path& folder) {
  if (past.by_hand)
    throw commands::UsageError(folder.string() + ": what was tried by hand is not gone on with; give its command once more");
}

void refuse_changes(const std::string& resolved_then, const std::string& resolved_now, bool accepted,
                    const std::string& advice) {
  if (accepted || resolved_then == resolved_now) return;
  const auto then = lines_of(resolved_then), now = lines_of(resolved_now);
  throw commands::UsageError("the experiment (or its preset) has changed since this run began:" + only_in(then, now, "-") +
                             only_in(now, then, "+") + "\n" + advice);
}

void refuse_lost_families(const History& past, const configs::Experiment& experiment) {
  if (!past.catalogue) return;
  for (const neutralise::Member& member : past.catalogue->members())
    if (!experiment.suspects.contains(member.family))
      throw commands::UsageError(
          fmt::format("{} is a suspect of this run, and the experiment does not search its family {} any more. Put "
                      "it back (to leave suspects out, use `exclude`), or start anew with --new.",
                      past.catalogue->label(*past.catalogue->find(member.family, member.name)), member.family));
}

std::optional<std::string> suspects_added(const History& past, const configs::Experiment& experiment,
                                          const neutralise::Environment& base) {
  if (!past.catalogue) return std::nullopt;
  const neutralise::Catalogue now = neutralise::make_catalogue(experiment, {}, neutralise::always_off(experiment, base));
  strategies::SuspectSet added(now.size());
  for (strategies::SuspectId id = 0; id < now.size(); ++id)
    if (!past.catalogue->find(now[id].family, now[id].name)) added.set(id);
  if (added.none()) return std::nullopt;
  return fmt::format(
      "not searched: {}. The suspects of a run are those it began with; to search others, start anew with --new",
      now.labels(added, added.count()));
}

void refuse_other_versions(const std::map<std::string, std::string>& then, const std::map<std::string, std::string>& now,
                           bool accepted) {
  if (accepted) return;
  std::string changes;
  for (const auto& [name, version] : then)
    if (const auto today = now.find(name); today == now.end() || today->second != version)
      changes += fmt::format("\n  {}: {}, now {}", name, version, today == now.end() ? "not found" : today->second);
  if (!changes.empty())
    throw commands::UsageError("the subject's software has changed since this run began:" + changes +
                               "\nIts evidence would be of two different machines. Start anew with --new, or go on all "
                               "the same with --accept-changes.");
}

}  // namespace bisectd::driver
