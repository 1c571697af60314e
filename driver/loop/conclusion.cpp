#include "driver/loop/conclusion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "driver/trial/inherited_settings.hpp"
#include "reports/lookup.hpp"
#include "reports/words.hpp"
#include "strategies/hidden.hpp"

namespace bisectd::driver {
namespace {

using strategies::SuspectId;
using strategies::SuspectSet;

constexpr const char* kLeaveDeviceOut =
    "Next: find out which of these devices computes wrongly (run one model on each), leave it out of subject.devices, and "
    "start anew with --new.";

/// What the fix changes against the subject as it is, and what the families need so that it takes effect.
void set_workaround(Conclusion& conclusion, const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                    const Base& base, const std::filesystem::path& files) {
  const auto as_is =
      neutralise::recipe_for(experiment, catalogue, SuspectSet(catalogue.size()), base.environment, base.rungs);
  const auto fixed = recipe_of_fix(conclusion.answer, experiment, catalogue, base, files);
  for (const SuspectId id : conclusion.answer.culprit_set)
    for (const auto& [name, value] : experiment.families.at(catalogue[id].family).environment) {
      // Named by its template: what stands in an attempt's folder has no use outside it.
      if (value.find("{attempt}") != std::string::npos) continue;
      const std::pair set(name, base.environment.contains(name) ? base.environment.at(name) : value);
      if (!std::ranges::count(conclusion.workaround, set)) conclusion.workaround.push_back(set);
    }
  for (const auto& [name, value] : fixed.environment) {
    const auto before = as_is.environment.find(name);
    if (before == as_is.environment.end() || before->second != value) conclusion.workaround.emplace_back(name, value);
  }
  // What passed had this, too.
  for (const auto& setting : neutralising(experiment, base.inherited))
    if (!std::ranges::count(conclusion.workaround, setting.first, &std::pair<std::string, std::string>::first))
      conclusion.workaround.emplace_back(setting);
  for (const std::string& name : fixed.unset)
    if (!std::ranges::count(as_is.unset, name)) conclusion.workaround_unset.push_back(name);
  for (const neutralise::Argument& argument : fixed.arguments)
    if (!std::ranges::count(as_is.arguments, argument))
      conclusion.workaround_arguments.insert(conclusion.workaround_arguments.end(), argument.begin(), argument.end());
  for (const neutralise::ConfigValue& value : fixed.values)
    if (!std::ranges::count(as_is.values, value))
      conclusion.workaround_config.push_back({value.file, value.key, value.text});
}

std::string why_no_effect(const configs::Family& family) {
  if (const auto& file = family.effect->gone_from_file)
    return fmt::format("it was switched off, but no run left {} without it", file->file);
  if (family.effect->gone_from_log) return "it was switched off, but the log of every run says that it is not off";
  return "it was switched off, but the log has no line that says so";
}

void list_without_effect(Conclusion& conclusion, const configs::Experiment& experiment,
                         const neutralise::Catalogue& catalogue, const std::map<SuspectId, std::string>& no_effect) {
  for (const auto& [id, why] : no_effect)
    conclusion.no_effect.push_back({id, why.empty() ? why_no_effect(experiment.families.at(catalogue[id].family)) : why});
  SuspectId next_id = catalogue.size();  // behind those that have one
  for (const neutralise::Member& member : catalogue.always_on()) {
    const configs::NeverOff& never_off = experiment.families.at(member.family).never_off;
    const bool listed = std::ranges::binary_search(never_off.names, member.name);
    const std::string& overwritten = configs::overwritten(experiment.families.at(member.family), member.name);
    conclusion.no_effect.push_back({next_id++, !overwritten.empty() ? overwritten
                                               : listed             ? "it is always on here; " + never_off.instead
                                               : member.stays_on.empty()
                                                   ? "it cannot be neutralised, as the discovery run says"
                                                   : "it cannot be neutralised: " + member.stays_on});
  }
}

/// No cause is known as a whole by runs that never were. Of what cannot be neutralised reports say so anyhow.
void warn_of_what_stayed_active(Conclusion& conclusion, const neutralise::Catalogue& catalogue) {
  constexpr std::size_t kNamed = 6;
  const std::vector<strategies::SuspectId>& active = conclusion.answer.excluded;
  if (active.empty()) return;
  std::vector<std::string> names;
  for (const strategies::SuspectId id : active) names.push_back(catalogue.label(id));
  conclusion.warnings.push_back(fmt::format(
      "{} stayed active in every trial that the answer rests on, so whether a cause needs {} as well is not known",
      names.size() <= kNamed ? fmt::format("{}", fmt::join(names, ", ")) : fmt::format("{} suspects", names.size()),
      names.size() == 1 ? "it" : "one of them"));
}

/// Families whose runs do not show that a member is off, with what they set: "OFF (family ops)".
std::string unseen_deliveries(const configs::Experiment& experiment) {
  std::vector<std::string> unseen;
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    if (family.effect || family.kind == configs::FamilyKind::toggle) continue;
    unseen.push_back(fmt::format("{} (family {})",
                                 family.deliver.environment ? *family.deliver.environment
                                 : family.deliver.config    ? family.deliver.config->key
                                                            : fmt::format("{}", fmt::join(family.deliver.argument, " ")),
                                 name));
  }
  return fmt::format("{}", fmt::join(unseen, ", "));
}

std::string outside_advice(const Conclusion& conclusion, const configs::Experiment& experiment) {
  const bool some_active =
      !conclusion.answer.not_neutralisable.empty() || !conclusion.answer.excluded.empty() || !conclusion.no_effect.empty();
  const char* every = some_active ? "every suspect neutralised that can be" : "every suspect neutralised";
  if (experiment.accept.goal == configs::Goal::runs)
    return fmt::format(
        "Even with {} the subject breaks, so what breaks it is none of them{}, or neutralising one of them breaks it too. "
        "Next: read the end of that trial's log, and look at the flags, layers and versions that were not searched.",
        every, some_active ? ", or one that stayed active" : "");
  std::string advice = fmt::format(
      "With {} the subject still differs from the reference, so the cause is none of them, or one of them that could not be "
      "neutralised, or neutralising one of them changes the training by itself (its CPU version is wrong, too, or it draws "
      "other data): leave those you doubt out with `exclude`. Next: compare what both sides are given (dataset, "
      "hyper-parameters, mixed precision, loss scale, random seeds), look at the flags and fusion switches that were not "
      "searched, and compare the first step's outputs module by module.",
      every);
  if (!conclusion.answer.not_neutralisable.empty())
    advice += " Neutralising some suspects breaks the run; they stayed active and are under suspicion.";
  if (!conclusion.no_effect.empty())
    advice += " Some suspects left no trace of being neutralised; they may have stayed active and are under suspicion.";
  return advice;
}

/// Where one decides, it is named: a fault that is far off is found by it as well.
std::string larger_target(const strategies::Answer& answer, double target) {
  const auto larger = answer.hidden ? answer.hidden->deciding_target() : std::nullopt;
  if (!larger || *larger <= target) return "accept.target";
  return fmt::format("`accept: {{target: {:.2g}%}}` may decide it, and the subject as it is is off by {}", 100 * *larger,
                     reports::percent_text(answer.hidden->as_is));
}

/// What can be done where healthy devices differ by as much; `larger`: how a larger difference is accepted.
std::string despite_rounding(const std::string& larger) {
  return fmt::format(
      "compare one step module by module, before rounding has grown (`bisectd align`); lower the learning rate on both "
      "sides and start anew with --new; or accept a larger difference ({}).",
      larger);
}

/// As the families say it that look at the training.
std::string next_where_watching_mends(const configs::Experiment& experiment) {
  std::set<std::string> said;
  for (const auto& [name, family] : experiment.families)
    if (!family.watched.empty()) said.insert(family.watched);  // families of one preset say the same
  return fmt::format("Next: {}; and start anew with --new.", fmt::join(said, "; "));
}

/// Of a search that ended without an answer. What happened is the answer's explanation, which every report shows; here only
/// what can be done.
std::string advice_without_answer(const strategies::Answer& answer, const configs::Experiment& experiment, bool exact) {
  switch (answer.hindrance) {
    case strategies::Hindrance::outage:
      return "Next: look at the last trials and at the devices; once they run again, `bisectd resume` goes on.";
    case strategies::Hindrance::noise:
      if (experiment.accept.goal == configs::Goal::runs)
        return "Runs of one and the same set sometimes break and sometimes do not, so one that comes to its end shows "
               "nothing. Next: look at how they broke; take what varies out of the runs, or make `steps` larger, so that "
               "what breaks them has broken them by then; and start anew with --new.";
      if (exact && experiment.reference.perturb)
        return "It is the noise, not a broken run, that is in the way: runs repeat themselves, but healthy devices differ "
               "by as much, by their rounding alone. More repeats change nothing. Next: " +
               despite_rounding(larger_target(answer, experiment.accept.target));
      return fmt::format(
          "It is the noise, not a broken run, that is in the way. Next: {}start anew with --new and let the reference "
          "repeat more often (reference.repeats, now {}) so that its own luck counts less, take what varies out of the "
          "runs (seeds, switches that make them repeat themselves), {}or accept a larger difference ({}).",
          answer.state == strategies::State::searching
              ? "go on with a larger search.budget or more accept.max_repeats: `bisectd resume --accept-changes`; or "
              : "",
          experiment.reference.repeats,
          answer.state == strategies::State::searching ? "" : "allow more accept.max_repeats, ",
          larger_target(answer, experiment.accept.target));
    case strategies::Hindrance::crashes:
      return "Next: look at the logs of the trials without a verdict, and take suspects whose neutralising breaks the run "
             "out of the search with `exclude`.";
    case strategies::Hindrance::harm:
      return "Next: the replacement of a suspect is most likely wrong, too: one that the passing trials neutralise, if any "
             "passed. Leave these out with `exclude`, one after the other, and start anew with --new.";
    case strategies::Hindrance::change:
      return "Next: look at what changed between the trials that are named (the device, other users of it, "
             "temperature, caches, software), see that it stays the same, and start anew with --new.";
    case strategies::Hindrance::devices: return kLeaveDeviceOut;
    case strategies::Hindrance::watched: return next_where_watching_mends(experiment);
    case strategies::Hindrance::control:
      return "Next: `bisectd resume`, after a spent budget with a larger search.budget and --accept-changes.";
    case strategies::Hindrance::none: break;
  }
  if (answer.state == strategies::State::contradictory)
    return "Next: where both of these trials are far from the target, effects cancel: leave what only one of the two "
           "neutralises out with `exclude`, and start anew. Where they are near it, measure the noise with more "
           "reference.repeats, and allow more accept.max_repeats.";
  if (answer.state == strategies::State::searching)
    return "The budget was spent before the search was done. Go on with a larger search.budget: `bisectd resume "
           "--accept-changes`.";
  return "Next: look at the trials with the role proof.";
}

}  // namespace

void take_back(strategies::Answer& answer, strategies::Hindrance hindrance, const std::string& why) {
  answer.explanation = answer.state == strategies::State::proved
                           ? fmt::format("The search came to {} as the culprit set. {}",
                                         strategies::list_of(answer.culprit_set, " and "), why)
                           : why;
  answer.state = strategies::State::stuck;
  answer.hindrance = hindrance;
}

Conclusion conclude(strategies::Answer answer, const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                    const Base& base, const std::map<SuspectId, std::string>& no_effect, const std::filesystem::path& files,
                    bool exact) {
  Conclusion conclusion{.answer = std::move(answer)};
  list_without_effect(conclusion, experiment, catalogue, no_effect);
  switch (conclusion.answer.state) {
    case strategies::State::proved:
      conclusion.outcome = reports::Outcome::culprits;
      set_workaround(conclusion, experiment, catalogue, base, files);
      warn_of_what_stayed_active(conclusion, catalogue);
      for (const SuspectId id : conclusion.answer.culprit_set)
        if (no_effect.contains(id))
          conclusion.warnings.push_back(
              fmt::format("{} is in the culprit set, yet no run shows that it was really switched off: check it by hand",
                          catalogue.label(id)));
      break;
    case strategies::State::aligned: conclusion.outcome = reports::Outcome::aligned; break;
    case strategies::State::outside_suspects:
      conclusion.outcome = reports::Outcome::outside_suspects;
      conclusion.advice = outside_advice(conclusion, experiment);
      break;
    case strategies::State::searching:
    case strategies::State::contradictory:
    case strategies::State::stuck:
      conclusion.outcome = reports::Outcome::inconclusive;
      if (reports::passing_fix(conclusion.answer)) set_workaround(conclusion, experiment, catalogue, base, files);
      conclusion.advice = advice_without_answer(conclusion.answer, experiment, exact);
      break;
  }
  return conclusion;
}

neutralise::Recipe recipe_of_fix(const strategies::Answer& answer, const configs::Experiment& experiment,
                                 const neutralise::Catalogue& catalogue, const Base& base,
                                 const std::filesystem::path& files) {
  return placed_in(files, neutralise::recipe_for(experiment, catalogue, catalogue.set_of(answer.culprit_set),
                                                 base.environment, base.rungs));
}

std::string doubt_of_everything(const reports::Record& record, const configs::Experiment& experiment) {
  const reports::Trial *as_is = reports::judged_trial(record, reports::Role::as_is),
                       *everything = reports::judged_trial(record, reports::Role::everything);
  if (!as_is || !everything || as_is->attempts.empty() || everything->attempts.empty()) return "";
  const reports::Attempt &plain = as_is->attempts.front(), &neutralised = everything->attempts.front();
  if (record.must_run_to && !plain.last_step && !neutralised.last_step)
    return fmt::format(
        "It does not come to a first step either way, so look whether it starts at all: sh {}/{}/command.sh. ",
        record.run_folder, plain.folder);
  const bool all_off = record.answer.excluded.empty() && record.answer.not_neutralisable.empty();
  const bool same = all_off && !plain.curve.values.empty() && plain.perturbed == neutralised.perturbed &&
                    plain.curve.steps == neutralised.curve.steps && plain.curve.values == neutralised.curve.values;
  const std::string unseen = unseen_deliveries(experiment);
  if (!same || unseen.empty()) return "";
  return fmt::format(
      "With every suspect neutralised the subject logs the very same values as with none, so most likely nothing was "
      "switched "
      "off: see whether the training reads {}; an `effect` of the family would show it. ",
      unseen);
}

Conclusion conclude_aligned(const configs::Experiment& experiment) {
  Conclusion conclusion{.outcome = reports::Outcome::aligned, .answer = {.state = strategies::State::aligned}};
  for (const auto& [name, selection] : experiment.suspects)
    for (const auto& [variable, value] : experiment.families.at(name).environment)
      if (!experiment.subject.environment.contains(variable) && value.find('{') == std::string::npos)
        conclusion.warnings.push_back(
            fmt::format("the subject ran with {}={}, which family {} needs; if your own runs differ, try them with it",
                        variable, value, name));
  return conclusion;
}

Conclusion conclude_unequal(const std::vector<std::string>& differences) {
  return {.outcome = reports::Outcome::inconclusive,
          .advice = fmt::format("It is not shown that both sides are given the same, so no search was made. {}. Make them "
                                "equal, or mend the check, and "
                                "run again.",
                                fmt::join(differences, ". ")),
          .warnings = differences};
}

Conclusion conclude_undecidable(const std::string& why) {
  return {.outcome = reports::Outcome::inconclusive,
          .advice = "The subject can be told neither from the reference nor from a regression: " + why};
}

Conclusion conclude_hidden(const judge::Judgement& as_is, const configs::Experiment& experiment,
                           const std::string& no_contrast) {
  const std::string more_runs =
      fmt::format("let both sides run more often (reference.repeats, now {}, and accept.max_repeats, now {}), ",
                  experiment.reference.repeats, experiment.accept.max_repeats);
  const std::string ends =
      no_contrast.empty() ? "" : fmt::format(". Nor can a search be made by the subject alone: {}", no_contrast);
  return conclude_undecidable(fmt::format("{}{}. Next: {}{}", as_is.text, ends, as_is.noise.value_or(0) > 0 ? more_runs : "",
                                          despite_rounding("accept.target")));
}

Conclusion conclude_devices_differ(const std::string& how) {
  return {.outcome = reports::Outcome::inconclusive,
          .advice =
              fmt::format("What a run shows depends on where it ran: {}. So no search was made. {}", how, kLeaveDeviceOut)};
}

Conclusion conclude_mended_by_watching(const std::string& how, const configs::Experiment& experiment) {
  return {.outcome = reports::Outcome::inconclusive,
          .advice = fmt::format("{} So no search was made. {}", how, next_where_watching_mends(experiment))};
}

Conclusion conclude_breaking_sometimes(const std::string& how_often) {
  return {.outcome = reports::Outcome::inconclusive,
          .advice =
              fmt::format("The subject as it is broke {} and came to its end in the others (trials with the role as-is), so "
                          "that no run that comes to its end clears a suspect, and no search was made. Next: find out when "
                          "it breaks (input, memory, another user of the device), and make it do so in every run.",
                          how_often)};
}

}  // namespace bisectd::driver
