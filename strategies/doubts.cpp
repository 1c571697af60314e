#include "strategies/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/standing.hpp"

namespace bisectd::strategies {
namespace {

constexpr int kMostTimes = 6;  // of one trial, after which nothing settles the doubt; a choice, not measured

bool all_known(const Phases& phases) {
  return phases.finding_proved() || (phases.ordered() && phases.ordered()->complete());
}

bool are_needed(const Phases& phases, const Needless& needless) {
  return phases.verdict_of(needless.with_rest) == Verdict::fail ||
         is_still_off(Standing(phases).as_is(), phases.log().measured(needless.with_rest));
}

// What tells more of the causes: sizes of runs that were ended early, then the fix without whoever seems needless.
std::vector<Trial> about_causes(const Phases& phases) {
  std::vector<Trial> trials;
  if (!all_known(phases)) return trials;
  const Standing standing(phases);
  if (!known_effects(phases))
    for (const Active& active : to_be_measured(phases.log(), phases.always_active(), standing.causes()))
      trials.push_back({neutralised_beside(active), Purpose::measurement,
                        "failed, and was ended before its size was known: do some of the causes cancel each other?"});
  if (!trials.empty()) return trials;
  const Needless some = needless_in(phases);
  if (!some.members.empty() && standing.worth_asking(some.with_rest))
    trials.push_back({neutralised_beside(some.with_rest), Purpose::search,
                      fmt::format("in the subject as it is {} seem to do nothing: is the fix without them enough?",
                                  list_of(some.members, " and "))});
  return trials;
}

Doubts about_fix(const Phases& phases, const Accused& proved, const Neutralised& fix) {
  const std::optional<Effects> effects = known_effects(phases);
  if (effects && fix_only_makes_up(*effects))
    return {.objection = fmt::format("it passes {}, but what the fix takes away is the opposite of what the causes add "
                                     "alone, so it may only make up for a fault that is elsewhere",
                                     with_neutralised(fix))};
  if (effects && do_not_add_up(*effects) && Standing(phases).fix_makes_up())
    return {.objection = fmt::format("it passes {}, but with everything neutralised it is still clearly off, and what each "
                                     "cause adds alone is far from what the fix takes away: so it is where many "
                                     "replacements each differ a little",
                                     with_neutralised(fix))};
  if (const LogEntry* less = leans_to_fail_with_more_neutralised(phases.log(), phases.always_active(), proved)) {
    const Hidden hidden = hidden_in(phases.log(), *less, phases.log().measured(phases.all_active()).difference);
    return {.objection = fmt::format("it passes {}, but with more neutralised it may fail, so two faults that are left "
                                     "active may cancel each other. {}",
                                     with_neutralised(fix), text_of(hidden)),
            .hidden = hidden};
  }
  return {};
}

// The fix was searched in a part of the suspects, since neutralising others does harm: it may only make up for the fault
// with such harm, and mend nothing. In the part itself that cannot be seen, but outside: with everything but one cause
// neutralised the run fails if the cause is one, and passes if the fault is elsewhere. Likewise with everything but the fix
// neutralised, whose members may make up for the fault in parts.
Doubts outside_of_part(const Phases& phases, const Accused& proved, const Neutralised& fix, std::span<const Evidence> told,
                       const Active& least_active) {
  const int votes = phases.log().exact() ? 1 : 2;
  std::vector<std::vector<SuspectId>> still_active = proved.causes;
  if (still_active.size() > 1) still_active.insert(still_active.begin(), proved.culprit_set);
  Doubts doubts;
  for (const std::vector<SuspectId>& members : still_active) {
    const Neutralised set = neutralised_beside(only_active(members, least_active));
    int lead = 0, times = 0;  // votes for the proof less those against it; times with or without a verdict
    for (const Evidence& each : told) {
      if (each.neutralised != set) continue;
      // One that passes without the fix, and is still off, is mended no more than one that fails.
      const bool fails = each.verdict == Verdict::fail || is_still_off(Standing(phases).as_is(), each.measured());
      if (decided(each.verdict)) lead += fails ? 1 : -1;
      ++times;
    }
    if (lead >= votes) continue;
    if (lead <= -votes || times >= kMostTimes)
      doubts.objection = fmt::format(
          "with everything neutralised it fails; it passes {}, which may only make up for the "
          "fault, and the trial that would tell says nothing",
          with_neutralised(fix));
    else
      doubts.open.push_back({set, Purpose::search,
                             "neutralises all but what is accused: it fails, if that does not only make up for the fault"});
  }
  return doubts;
}

}  // namespace

std::optional<Effects> known_effects(const Phases& phases) {
  if (!all_known(phases)) return std::nullopt;
  return effects_of(phases.log(), phases.always_active(), Standing(phases).accused(), phases.signatures_tell());
}

Needless needless_in(const Phases& phases) {
  const std::optional<Effects> effects = known_effects(phases);
  if (!effects) return {};
  for (std::vector<SuspectId>& members : needless_sets(*effects)) {
    std::vector<SuspectId> rest = Standing(phases).culprit_set();
    std::erase_if(rest, [&](SuspectId member) { return std::ranges::count(members, member) > 0; });
    Needless needless{std::move(members), all_but(rest, phases.size())};
    if (!are_needed(phases, needless)) return needless;
  }
  return {};
}

bool is_shown(const Phases& phases, const Needless& needless) {
  return !needless.members.empty() && phases.verdict_of(needless.with_rest) == Verdict::pass &&
         !are_needed(phases, needless);
}

Doubts doubts_about(const Phases& phases, std::span<const Evidence> told, const SuspectSet& harmful,
                    const Active& least_active) {
  if (std::vector<Trial> open = about_causes(phases); !open.empty()) return {.open = std::move(open)};
  const Accused proved = Standing(phases).accused();
  const Neutralised fix = neutralised_beside(all_but(proved.culprit_set, phases.size()));
  Doubts doubts = about_fix(phases, proved, fix);
  return harmful.none() || !doubts.objection.empty() ? doubts : outside_of_part(phases, proved, fix, told, least_active);
}

}  // namespace bisectd::strategies
