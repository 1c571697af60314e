#include "configs/consistency.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <boost/algorithm/string/iter_find.hpp>
#include <boost/algorithm/string/finder.hpp>

#include "configs/member_name.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/read_config_key.hpp"
#include "configs/suggest.hpp"

namespace bisectd::configs {
namespace {

void check_filled(const Side& side, const std::string& what, const Experiment& experiment, Problems& problems) {
  const auto check = [&](const Placed<std::string>& text) {
    check_not_empty(placeholders_in(text, problems), text.place, side, what, experiment, problems);
  };
  for (const auto& element : side.command) check(element);
  for (const auto& [name, value] : side.environment) check(value);
}

void check_visible_variable(const Side& side, Problems& problems) {
  const std::string& variable = side.devices.visible_variable;
  const auto set = side.environment.find(variable);
  if (variable.empty() || (side.devices.ids.empty() && !side.slurm) || set == side.environment.end()) return;
  problems.add(
      set->second.place,
      fmt::format("`{}` is set for every trial from {}", variable, side.slurm ? "the devices of its job" : "`devices.ids`"),
      "remove it here, or write `visible_variable: none` under `devices`");
}

void check_deliveries(const Experiment& experiment, Problems& problems) {
  std::map<std::string, std::string> owners, writers;
  for (const TrainingConfig& config : experiment.subject.configs) writers.emplace(config.name, "the copy of " + config.file);
  const auto all = deliveries(experiment);
  for (const auto& [deliver, owner] : all) {
    if (deliver->file)
      if (const auto [first, is_new] = writers.emplace(deliver->file->name, owner); !is_new)
        problems.add({experiment.file, 0, 0},
                     fmt::format("`{}` is written by two suspects: {} and {}", deliver->file->name, first->second, owner),
                     "several switches of one file of the training are keys of it: `config: FILE, key: KEY`");
    if (!deliver->environment) continue;
    const auto [first, is_new] = owners.emplace(*deliver->environment, owner);
    if (!is_new)
      problems.add({experiment.file, 0, 0},
                   fmt::format("`{}` is set by two suspects: {} and {}", *deliver->environment, first->second, owner));
  }
  const auto by_argument = std::ranges::find_if(all, [](const auto& entry) { return !entry.first->argument.empty(); });
  const auto& command = experiment.subject.command;
  if (by_argument != all.end() && !command.empty() &&
      std::ranges::find(command, "{arguments}", &Placed<std::string>::value) == command.end())
    problems.add(command.front().place,
                 fmt::format("`subject.command` lacks the element \"{{arguments}}\": {} is neutralised "
                             "by an argument",
                             by_argument->second),
                 "put it where the training takes options");
}

/// Variables that the selected families need, with their values.
std::map<std::string, std::string> needed_environment(const Experiment& experiment, Problems& problems) {
  std::map<std::string, std::string> needed;
  const Side& subject = experiment.subject;
  for (const auto& [family_name, selection] : experiment.suspects) {
    for (const auto& [name, value] : experiment.families.at(family_name).environment) {
      const std::string needs = fmt::format("family `{}` needs {}={}", family_name, name, value);
      if (const auto* own = instead_of(value, name, subject))
        problems.add(own->place, needs, fmt::format("remove it here, or change `families.{}.environment`", family_name));
      if (is_unset(subject, name)) problems.add(subject.place, needs + ", but `subject.unset` takes it away");
      if (const auto [first, is_new] = needed.emplace(name, value); !is_new && first->second != value)
        problems.add(selection.place, fmt::format("{}, another family {}", needs, first->second));
    }
  }
  return needed;
}

/// The subject's own value of a variable that makes traces visible stands, but may hide them.
void warn_of_hidden_traces(const Experiment& experiment, Problems& problems) {
  for (const auto& [family_name, selection] : experiment.suspects) {
    const auto& effect = experiment.families.at(family_name).effect;
    if (!effect) continue;
    for (const auto& [name, value] : effect->environment)
      if (const auto* own = instead_of(value, name, experiment.subject))
        problems.warn(own->place, fmt::format("family `{}` finds its traces in the log with {}={}; with this value "
                                              "it is not checked that a suspect was really switched off",
                                              family_name, name, value));
  }
}

void settle_toggles(Experiment& experiment, const std::map<std::string, std::string>& needed) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : experiment.subject.environment) environment.emplace(name, value.value);
  for (const auto& [name, value] : experiment.hold.environment) environment[name] = value;
  for (auto& [family_name, family] : experiment.families) {
    for (auto& [name, toggle] : family.toggles) {
      toggle.declared = toggle.suspect;
      if (!toggle.deliver.environment) continue;
      if (const auto held = needed.find(*toggle.deliver.environment); held != needed.end()) {
        // Another family needs this value in every run, so there is nothing to switch.
        toggle.suspect = toggle.safe = held->second;
        continue;
      }
      if (is_unset(experiment.subject, *toggle.deliver.environment)) toggle.suspect.reset();
      toggle.suspect = settled_suspect(toggle, environment);
    }
  }
}

/// Names in a list that the subject's own environment sets: they are compared as literally as ours.
void check_own_lists(const Experiment& experiment, Problems& problems) {
  for (const auto& [family_name, selection] : experiment.suspects) {
    const Family& family = experiment.families.at(family_name);
    if (family.kind != FamilyKind::list || !is_plain_list(family.deliver) || family.deliver.separator.empty()) continue;
    const auto own = experiment.subject.environment.find(*family.deliver.environment);
    if (own == experiment.subject.environment.end() || own->second.value.empty()) continue;
    std::vector<std::string> names;
    boost::iter_split(names, own->second.value, boost::first_finder(family.deliver.separator));
    for (const std::string& name : names) check_member_name({name, own->second.place}, family, problems);
  }
}

bool may_hold_suspects(const Family& family, const Selection& selection) {
  if (family.kind != FamilyKind::toggle) return true;
  return std::ranges::any_of(family.toggles, [&](const auto& entry) {
    const auto& [name, toggle] = entry;
    const auto is_it = [&](const Placed<std::string>& other) { return other.value == name; };
    return toggle.suspect != toggle.safe && std::ranges::none_of(selection.exclude, is_it) &&
           (selection.all || std::ranges::any_of(selection.members, is_it));
  });
}

/// A variable that carries more than names is written anew: what the subject has in it already would be lost.
void check_not_overwritten(const Experiment& experiment, Problems& problems) {
  for (const auto& [deliver, owner] : deliveries(experiment)) {
    if (!is_written_anew(*deliver)) continue;
    const auto own = experiment.subject.environment.find(*deliver->environment);
    if (own != experiment.subject.environment.end())
      problems.add(own->second.place, fmt::format("{} writes `{}` anew, so its value here would be lost", owner, own->first),
                   "move what it says into the family's template, or leave the family out");
  }
}

/// One name in two lists is one thing switched off in two ways, or two things; only the person who wrote it knows.
void warn_of_shared_names(const Experiment& experiment, Problems& problems) {
  std::map<std::string, std::string> families;
  for (const auto& [family_name, selection] : experiment.suspects)
    for (const auto& name : selection.members)
      if (const auto [first, is_new] = families.emplace(name.value, family_name);
          !is_new && experiment.families.at(family_name).kind == FamilyKind::list)
        problems.warn(name.place, fmt::format("{} is a member of family `{}` too: each counts as a suspect of its own",
                                              in_quotes(name.value), first->second));
}

/// Where a family looks for its members, in one text.
std::string source_of(const Discovery& discovery) {
  std::string source = discovery.ran.value;
  if (discovery.file) source += discovery.file->file + '\n' + discovery.file->members;
  for (const auto& word : discovery.command) source += word.value + '\n';
  return source;
}

/// Two families that look in one place find the same things, and would accuse each of them as a pair of itself.
void check_discoveries(const Experiment& experiment, Problems& problems) {
  std::map<std::string, std::string> families;
  for (const auto& [family_name, selection] : experiment.suspects) {
    const auto& discover = experiment.families.at(family_name).discover;
    if (!selection.discover || !discover) continue;
    const auto [first, is_new] = families.emplace(source_of(*discover), family_name);
    if (!is_new)
      problems.add(selection.place,
                   fmt::format("families `{}` and `{}` discover the same members", first->second, family_name),
                   "search one of them, or name the members of one by hand");
  }
}

void check_something_to_search(const Experiment& experiment, Problems& problems) {
  for (const auto& [family_name, selection] : experiment.suspects) {
    const Family& family = experiment.families.at(family_name);
    for (const auto& name : selection.members)
      if (const auto toggle = family.toggles.find(name.value);
          toggle != family.toggles.end() && toggle->second.suspect == toggle->second.safe)
        problems.warn(name.place, fmt::format("the subject already has the safe value of `{}`", name.value));
  }
  const auto searched = [&](const auto& entry) {
    return may_hold_suspects(experiment.families.at(entry.first), entry.second);
  };
  if (!experiment.suspects.empty() && std::ranges::none_of(experiment.suspects, searched))
    problems.add(experiment.suspects.begin()->second.place,
                 "nothing to search: every switch is excluded, or has its safe value in the subject already");
}

/// Whether a run runs is known without a second one beside it, and how far it must come is not learnt from another.
void settle_goal(Experiment& experiment, Problems& problems) {
  if (experiment.accept.goal != Goal::runs) return;
  experiment.reference.perturb.reset();
  experiment.subject.perturb.reset();
  if (!experiment.steps)
    problems.add(experiment.subject.place, "`accept.goal: runs` needs `steps`: a run that reaches that step runs",
                 "add, for example, `steps: 200`");
}

/// How long a run of the fix is that is so many times longer than a trial.
void check_soak(const Experiment& experiment, Problems& problems) {
  if (!experiment.soak) return;
  const auto& [soak, place] = *experiment.soak;
  if (!experiment.steps)
    return problems.add(place, "`soak` needs `steps`: the fix is run for longer than a trial",
                        "add, for example, `steps: 200`");
  if (soak <= *experiment.steps)
    return problems.add(place, fmt::format("`soak: {}` is no longer than a trial of {} steps", soak, *experiment.steps),
                        fmt::format("for example `soak: {}`", 10 * *experiment.steps));
  const Side& side = experiment.subject;
  const std::chrono::duration<double, std::ratio<60>> longest =
      side.timeout * static_cast<double>(soak) / static_cast<double>(*experiment.steps);
  if (side.slurm && side.slurm->time && *side.slurm->time < longest)
    problems.add(place,
                 fmt::format("a job of the subject may take {} min, a soak so many times longer than a trial {:.0f} min",
                             side.slurm->time->count(), std::ceil(longest.count())),
                 "raise `slurm.time`, or lower the subject's `timeout`");
}

void check_held_side(const Side& side, const std::string& what, const Hold& hold, Problems& problems) {
  if (side.command.empty()) return;
  for (const auto& [name, value] : hold.environment) {
    if (const auto* own = instead_of(value, name, side))
      problems.add(own->place, fmt::format("`hold` sets {}={} in every run", name, value),
                   "remove it here, or leave it out of `hold`");
    if (std::ranges::count(side.unset, name))
      problems.add(side.place,
                   fmt::format("`hold` sets {}={} in every run, but `{}.unset` takes it away", name, value, what));
  }
}

bool is_safe(const Toggle& toggle, const std::string& value) {
  return toggle.safe == value || std::ranges::count(toggle.also_safe, value);
}

void check_held_family(const std::string& name, const Family& family, const Selection& selection, const Hold& hold,
                       Problems& problems) {
  for (const auto& [toggle_name, toggle] : family.toggles) {
    const auto held =
        toggle.deliver.environment ? hold.environment.find(*toggle.deliver.environment) : hold.environment.end();
    if (held == hold.environment.end()) continue;
    const auto named = std::ranges::find(selection.members, toggle_name, &Placed<std::string>::value);
    const bool excluded = std::ranges::count(selection.exclude, toggle_name, &Placed<std::string>::value) > 0;
    if (named != selection.members.end() || (selection.all && !excluded && !is_safe(toggle, held->second)))
      problems.add(
          named != selection.members.end() ? named->place : selection.place,
          fmt::format("`{}:{}` is held ({}={}), so it cannot be a suspect", name, toggle_name, held->first, held->second),
          fmt::format("leave it out: `suspects: {{{}: {{exclude: [{}]}}}}`; or out of `hold`", name, toggle_name));
  }
  const auto held = family.kind == FamilyKind::toggle || !family.deliver.environment
                        ? hold.environment.end()
                        : hold.environment.find(*family.deliver.environment);
  if (held != hold.environment.end())
    problems.add(selection.place,
                 fmt::format("family `{}` is switched by {}, which `hold` sets in every run", name, held->first));
}

/// A problem for a variable that a side sets otherwise or takes away, and for a suspect that is held: what is the same in
/// every run cannot be switched. Toggles whose safe value is held, and which nobody named, are left to settle_toggles.
void check_hold(const Experiment& experiment, Problems& problems) {
  const Hold& hold = experiment.hold;
  if (hold.environment.empty()) return;
  check_held_side(experiment.reference, "reference", hold, problems);
  check_held_side(experiment.subject, "subject", hold, problems);
  for (const auto& [name, selection] : experiment.suspects)
    check_held_family(name, experiment.families.at(name), selection, hold, problems);
  if (experiment.reference.is_recorded())
    problems.warn(hold.place, "`hold` does nothing to a recorded reference: it was held if its own experiment said so");
}

}  // namespace

/// {config:FILE}, or {config} of an only one.
static void check_config_placeholder(const std::optional<std::string_view>& file, const std::string& word,
                                     const Place& place, const Side& side, Problems& problems) {
  std::vector<std::string> known;
  for (const TrainingConfig& config : side.configs) known.push_back(config.file);
  if (file ? std::ranges::count(known, *file) > 0 : known.size() == 1) return;
  const auto right = file ? nearest(*file, known) : std::nullopt;
  problems.add(place,
               known.empty() ? fmt::format("`{{{}}}`: no suspect of this side is a key of a configuration file", word)
               : file        ? fmt::format("`{{{}}}`: no suspect is a key of that file", word)
                             : fmt::format("`{{{}}}`: suspects are keys of several files", word),
               right           ? fmt::format("did you mean `{{config:{}}}`?", *right)
               : known.empty() ? "a suspect is one by `{config: FILE, key: KEY}`"
                               : fmt::format("write one of {{config:{}}}", fmt::join(known, "}, {config:")));
}

std::optional<std::string> settled_suspect(const Toggle& toggle, const std::map<std::string, std::string>& environment) {
  if (!toggle.deliver.environment || is_written_anew(toggle.deliver)) return toggle.suspect;
  const auto set = environment.find(*toggle.deliver.environment);
  const std::optional<std::string> has = set == environment.end() ? toggle.suspect : std::optional(set->second);
  const std::optional<std::string> means = has ? has : toggle.unset_means;
  const std::optional<std::string> safe_means = toggle.safe ? toggle.safe : toggle.unset_means;
  const bool same = means && (means == safe_means || std::ranges::count(toggle.also_safe, *means));
  return same ? toggle.safe : has;
}

bool is_unset(const Side& side, const std::string& name) { return std::ranges::count(side.unset, name) > 0; }

const Placed<std::string>* instead_of(const std::string& value, const std::string& variable, const Side& side) {
  const auto own = side.environment.find(variable);
  if (own == side.environment.end() || own->second.value == value) return nullptr;
  return value.find("{and_inherited}") == std::string::npos ? &own->second : nullptr;
}

std::vector<std::pair<const Delivery*, std::string>> deliveries(const Experiment& experiment) {
  std::vector<std::pair<const Delivery*, std::string>> all;
  for (const auto& [name, selection] : experiment.suspects) {
    const Family& family = experiment.families.at(name);
    if (family.kind != FamilyKind::toggle) all.emplace_back(&family.deliver, "family " + name);
    for (const auto& [toggle_name, toggle] : family.toggles)
      all.emplace_back(&toggle.deliver, fmt::format("{} of family {}", toggle_name, name));
  }
  return all;
}

void check_not_empty(const std::vector<std::string>& words, const Place& place, const Side& side, const std::string& what,
                     const Experiment& experiment, Problems& problems) {
  for (const std::string& word : words) {
    if (word.starts_with("device") && side.devices.ids.empty() && !(side.slurm && side.slurm->gres))
      problems.add(place, fmt::format("`{{{}}}` stays empty: `{}.devices` names no ids", word, what));
    if (const auto config = config_named_in(word); config || word == kConfigPlaceholder)
      check_config_placeholder(config, word, place, side, problems);
    if (word == "steps" && !experiment.steps)
      problems.add(place, "`{steps}` stays empty: the file names no `steps`", "add, for example, `steps: 1000`");
  }
}

void check_and_settle(Experiment& experiment, Needed needed, Problems& problems) {
  settle_goal(experiment, problems);
  const std::size_t before = problems.size();
  read_training_configs(experiment, problems);
  if (problems.size() > before) return;  // what follows would only say the same in other words
  check_soak(experiment, problems);
  check_filled(experiment.reference, "reference", experiment, problems);
  check_filled(experiment.subject, "subject", experiment, problems);
  check_visible_variable(experiment.reference, problems);
  check_visible_variable(experiment.subject, problems);
  check_deliveries(experiment, problems);
  check_training_configs(experiment, problems);
  check_perturbations(experiment, problems);
  check_hold(experiment, problems);
  settle_toggles(experiment, needed_environment(experiment, problems));
  warn_of_hidden_traces(experiment, problems);
  check_own_lists(experiment, problems);
  check_not_overwritten(experiment, problems);
  warn_of_shared_names(experiment, problems);
  check_discoveries(experiment, problems);
  if (needed != Needed::workaround) check_something_to_search(experiment, problems);
  warn_of_known_differences(experiment, problems);
}

}  // namespace bisectd::configs
