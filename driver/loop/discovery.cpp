#include "driver/loop/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "configs/loader.hpp"
#include "configs/member_name.hpp"
#include "configs/printable.hpp"
#include "configs/suggest.hpp"
#include "driver/checks/versions.hpp"
#include "driver/launch/run_to_end.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/problem.hpp"
#include "driver/neutralise/placeholders.hpp"
#include "driver/neutralise/recipe.hpp"

namespace bisectd::driver {

namespace {

constexpr const char* kWhyDiscover = "which members a run uses";
constexpr std::size_t kNamed = 3;  ///< members, in the reason of a further run
constexpr int kMostFurther = 20;   ///< each may take the time of a hang

/// Whether a discovery run broke as the subject does. Throws Infrastructure if it gave nothing for another reason.
bool broke_like_the_subject(const Run& run, const FinishedTrial& discovery) {
  const AttemptOutcome& attempt = discovery.attempts.back();
  if (can_be_judged(attempt)) return false;
  if (run.must_only_run() && attempt.ending != Ending::not_started && attempt.errors.empty()) return true;
  throw Infrastructure(fmt::format("the discovery run failed: {} (see {})", attempt.text, attempt.folder.string()),
                       discovery.plan.number);
}

/// Adds what the run shows; false: nothing new.
bool add_seen(const Run& run, const FinishedTrial& discovery, bool broke, SeenMembers& seen) {
  const AttemptOutcome& attempt = discovery.attempts.back();
  const auto found = run.input.watch.discovered(attempt.names, broke);
  if (!found)
    throw Infrastructure(fmt::format("{} (see {})", found.error(), attempt.folder.string()), discovery.plan.number);
  bool any = false;
  const auto add = [&](const neutralise::Discovered& from, neutralise::Discovered& to) {
    for (const auto& [family, names] : from)
      for (const std::string& name : names) {
        std::vector<std::string>& known = to[family];
        const auto at = std::ranges::lower_bound(known, name);
        if (at != known.end() && *at == name) continue;
        known.insert(at, name);
        any = true;
      }
  };
  add(*found, seen.members);
  add(run.input.watch.never_off(attempt.names), seen.never_off);
  seen.reasons.merge(run.input.watch.reasons(attempt.names));
  return any;
}

neutralise::Catalogue catalogue_of(const Run& run, const SeenMembers& seen) {
  auto catalogue = neutralise::make_catalogue(
      run.experiment, seen.members, neutralise::always_off(run.experiment, run.sides.subject.environment), seen.never_off);
  std::vector<neutralise::Member> always_on = catalogue.always_on();
  for (neutralise::Member& member : always_on)
    if (const auto why = seen.reasons.find(member.family + ":" + member.name); why != seen.reasons.end())
      member.stays_on = why->second;
  catalogue.set_always_on(std::move(always_on));
  return catalogue;
}

/// Where the discovery run breaks as the subject does, what it did not come to shows in another run with all neutralised
/// that is known by then, as far as that goes together; and so on, until one runs to its end or nothing new shows.
SeenMembers see_members(Run& run, FinishedTrial discovery) {
  SeenMembers seen;
  bool broke = broke_like_the_subject(run, discovery);
  bool goes_on = add_seen(run, discovery, broke, seen) && broke;
  for (int further = 0; goes_on && further < kMostFurther; ++further) {
    const neutralise::Catalogue known = catalogue_of(run, seen);
    if (known.size() == 0) break;
    const strategies::Neutralised all = most_neutralised(run.experiment, known);
    TrialPlan plan = run.plan_for(Role::discovery, {},
                                  fmt::format("{} once {} are neutralised", kWhyDiscover, known.labels(all, kNamed)));
    if (!run.was_begun(plan) && (run.trials_spent() || run.hours_spent())) {
      run.warn("the budget was spent before a discovery run came to its end");
      break;
    }
    plan.recipe = neutralise::recipe_for(run.experiment, known, all, run.sides.subject.environment, run.state.rungs);
    set_discovery(plan.recipe, run.experiment, run.sides.subject);
    discovery = std::move(run.run_all(std::move(plan)).front());
    broke = broke_like_the_subject(run, discovery);
    goes_on = add_seen(run, discovery, broke, seen) && broke;
  }
  if (broke) run.warn("every discovery run broke: what none of them came to is no suspect");
  return seen;
}

void warn_of_left_out(Run& run) {
  const neutralise::Catalogue& catalogue = run.state.catalogue;
  strategies::SuspectSet left_out(catalogue.size());
  for (strategies::SuspectId id = 0; id < catalogue.size(); ++id)
    if (const auto& [family, name, odds, stays_on] = catalogue[id];
        neutralise::is_left_out(run.experiment.families.at(family), run.experiment.suspects.at(family), name))
      left_out.set(id);
  if (left_out.any())
    run.warn(
        fmt::format("no suspects any more, so they stay active and are neither accused nor part of the fix: {}. The "
                    "cause may be one of them",
                    catalogue.labels(left_out, left_out.count())));
}

void warn_of_unseen(Run& run, const SeenMembers& seen) {
  const std::array found{seen.members, seen.never_off,
                         neutralise::always_off(run.experiment, run.sides.subject.environment)};
  for (const auto& warning : unseen_names(run.experiment, found)) run.warn(configs::placed_text(warning));
}

[[noreturn]] void refuse_no_suspect(const std::optional<FinishedTrial>& discovery) {
  constexpr const char* kWhy = "there is no suspect: the discovery run showed no member of any family on the device";
  if (discovery) throw Infrastructure(kWhy, discovery->plan.number);
  throw Infrastructure(kWhy);
}

}  // namespace

namespace {

namespace fs = std::filesystem;

/// A framework's import alone can take a minute from a shared disk.
constexpr std::chrono::minutes kTimeout{10};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

launch::Job job_of(const configs::Family& family, const LaunchSide& subject, const fs::path& folder) {
  launch::Job job{.environment = subject.environment,
                  .directory = subject.directory,
                  .stdout_file = folder / (family.name + ".stdout.log"),
                  .stderr_file = folder / (family.name + ".stderr.log")};
  const std::string python = python_of(*subject.settings), presets = (configs::data_folder() / "presets").string();
  const std::string& kind = subject.settings->devices.kind;
  for (const auto& element : family.discover->command)
    job.command.push_back(neutralise::filled(element.value, {{"python", python}, {"presets", presets}, {"kind", kind}}));
  for (const auto& [variable, value] : family.discover->environment)
    job.environment[variable] = neutralise::fill(family_variable(subject, variable, value), {.attempt = folder.string()});
  return job;
}

std::vector<std::string> names_in(const fs::path& file, const configs::Family& family) {
  std::ifstream lines(file, std::ios::binary);
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    // As Windows and some wrappers write text.
    if (names.empty() && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.ends_with('\r')) line.pop_back();
    if (const std::string fault = configs::spelling_fault(line, family); !fault.empty())
      throw std::runtime_error(
          fmt::format("it printed {}, which is no name of a member: it {}", configs::in_quotes(line), fault));
    const auto written = family.written_name.find(line);
    names.insert(written == family.written_name.end() ? line : written->second);
    if (names.size() > configs::kMostMembers)
      throw std::runtime_error(fmt::format("it printed more than {} names", configs::kMostMembers));
  }
  if (names.empty()) throw std::runtime_error("it printed no name");
  return {names.begin(), names.end()};
}

/// Selected families whose members a command tells.
std::vector<std::string> queried_families(const configs::Experiment& experiment) {
  std::vector<std::string> names = discovered_families(experiment);
  std::erase_if(names, [&](const std::string& name) { return !experiment.families.at(name).discover->asks_framework(); });
  return names;
}

/// Runs the commands of these families in the subject's environment and directory; their output stays in `folder`. Throws
/// std::runtime_error that says why a command's output is no list of members: it failed, named nothing or too many, or
/// printed a line that is no name.
neutralise::Discovered ask_framework(const configs::Experiment& experiment, const LaunchSide& subject,
                                     launch::Launcher& launcher, const fs::path& folder, const std::string& run_tag) {
  neutralise::Discovered found;
  for (const std::string& name : queried_families(experiment)) {
    const configs::Family& family = experiment.families.at(name);
    fs::create_directories(folder);
    launch::Job job = job_of(family, subject, folder);
    job.tag = run_tag + "/query";
    const auto refuse = [&](const std::string& why, const fs::path& file) {
      throw std::runtime_error(
          fmt::format("the command that should name the members of family {} ({}) gives none: {} (see {})", name,
                      job.command.front(), why, file.string()));
    };
    if (const auto well = launch::run_well(launcher, job, kTimeout); !well) refuse(well.error(), job.stderr_file);
    try {
      found[name] = names_in(job.stdout_file, family);
    } catch (const std::runtime_error& error) {
      refuse(error.what(), job.stdout_file);
    }
  }
  return found;
}

}  // namespace

neutralise::Discovered query(Run& run) {
  if (queried_families(run.experiment).empty()) return {};
  log::info("asking the framework for the members of a family");
  try {
    return ask_framework(run.experiment, run.sides.subject, run.launcher, run.directory.folder() / "query",
                         run.state.history.run_tag);
  } catch (const std::runtime_error& error) {
    throw Infrastructure(error.what());
  }
}

TrialPlan plan_discovery(const Run& run) { return run.plan_for(Role::discovery, {}, kWhyDiscover); }

void list_suspects(Run& run, neutralise::Discovered named, std::optional<FinishedTrial> discovery) {
  if (run.state.history.catalogue) {
    run.state.exact = run.state.history.exact;
    warn_of_left_out(run);
  } else {
    SeenMembers seen = discovery ? see_members(run, *discovery) : SeenMembers{};
    seen.members.merge(std::move(named));
    run.state.catalogue = catalogue_of(run, seen);
    run.state.exact = run.must_only_run() || run.state.jury->repeats_show_nothing();
    warn_of_unseen(run, seen);
    if (run.state.catalogue.size() == 0) refuse_no_suspect(discovery);
    run.journal.append(catalogue_record(run.state.catalogue, run.state.exact));
  }
}

SeenMembers discover(Run& run) {
  SeenMembers found{.members = query(run)};
  if (families_seen_in_a_run(run.experiment).empty()) return found;
  run.start_or_go_on(plan_discovery(run));
  SeenMembers seen = see_members(run, std::move(run.wait().front()));
  seen.members.merge(std::move(found.members));
  return seen;
}

namespace {

/// Ascending; nothing for a family that does not discover its members.
std::optional<std::vector<std::string>> found_in(const configs::Experiment& experiment, const std::string& family,
                                                 std::span<const neutralise::Discovered> found) {
  const configs::Selection& selection = experiment.suspects.at(family);
  if (!selection.discover) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& member : selection.members) names.push_back(member.value);
  for (const neutralise::Discovered& members : found)
    if (const auto of_family = members.find(family); of_family != members.end())
      names.insert(names.end(), of_family->second.begin(), of_family->second.end());
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<configs::Placed<std::string>> unseen_names(const configs::Experiment& experiment,
                                                       std::span<const neutralise::Discovered> found) {
  std::vector<configs::Placed<std::string>> warnings;
  const auto look_at = [&](const char* key, const configs::MemberLabel& label, const configs::Place& place) {
    const auto names = found_in(experiment, label.family, found);
    if (!names || std::ranges::binary_search(*names, label.name)) return;
    const auto right = configs::nearest(label.name, *names);
    warnings.push_back(
        {fmt::format("`{}`: {} is not among the members of family `{}` that were found, so this changes nothing{}", key,
                     configs::in_quotes(label.name), label.family,
                     right ? fmt::format("; did you mean {}?", configs::in_quotes(*right)) : ""),
         place});
  };
  for (const auto& [family, selection] : experiment.suspects) {
    // One of the family's own table is spelt right, and not searched either, as was wanted.
    const std::vector<std::string>& known = experiment.families.at(family).known_names;
    for (const auto& [name, place] : selection.exclude)
      if (!std::ranges::binary_search(known, name)) look_at("exclude", {family, name}, place);
    // Odds that stand in no file are of past nights, maybe of other models.
    for (const auto& [name, odds] : selection.likely)
      if (!odds.place.file.empty()) look_at("likely", {family, name}, odds.place);
    for (const auto& [name, price] : selection.price) look_at("price", {family, name}, price.place);
  }
  return warnings;
}

}  // namespace bisectd::driver
