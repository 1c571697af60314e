#include "strategies/known_causes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/mended.hpp"

namespace bisectd::strategies {

bool KnownCauses::all_known() const {
  return phases_.finding_proved() || (phases_.ordered() && phases_.ordered()->complete());
}

std::optional<Effects> KnownCauses::effects() const {
  if (!all_known()) return std::nullopt;
  return effects_of(phases_.log(), phases_.always_active(), with_fix(), standing_.causes());
}

Needless KnownCauses::needless() const {
  const std::optional<Effects> known = effects();
  if (!known) return {};
  std::vector<Needless> choices;
  if (standing_.fix_makes_up()) choices = {{better_left_active(*known), Needless::Why::off_neutralised}};
  else choices = needless_sets(*known);
  for (Needless& needless : choices) {
    std::vector<SuspectId> rest = standing_.culprit_set();
    std::erase_if(rest, [&](SuspectId member) { return std::ranges::count(needless.members, member) > 0; });
    needless.with_rest = standing_.all_but(rest);
    if (!are_needed(needless)) return std::move(needless);
  }
  return {};
}

bool KnownCauses::are_needed(const Needless& needless) const {
  return phases_.verdict_of(needless.with_rest) == Verdict::fail || std::ranges::count(made_up_, needless.with_rest) > 0 ||
         is_still_off(standing_.as_is(), phases_.log().measured(needless.with_rest));
}

bool KnownCauses::is_shown(const Needless& needless) const {
  return !needless.members.empty() && phases_.verdict_of(needless.with_rest) == Verdict::pass && !are_needed(needless);
}

bool KnownCauses::makes_up_in_part(const Needless& needless, const Evidence& evidence) const {
  return !needless.members.empty() && evidence.verdict == Verdict::pass &&
         active_beside(evidence.neutralised) == needless.with_rest && is_still_off(standing_.as_is(), evidence.measured());
}

Trial KnownCauses::trial(const Active& active, Purpose purpose, std::string reason) const {
  return {neutralised_beside(active), purpose, std::move(reason)};
}

std::vector<Trial> KnownCauses::trials() const {
  if (!all_known()) return {};
  std::vector<Trial> trials;
  for (const Active& active : to_be_measured(phases_.log(), phases_.always_active(), with_fix(), standing_.causes()))
    trials.push_back(trial(active, Purpose::measurement,
                           "failed, and was ended before its size was known: do some of the causes cancel each other?"));
  if (!trials.empty()) return trials;
  const Needless some = needless();
  if (!some.members.empty() && standing_.worth_asking(some.with_rest))
    trials.push_back(trial(some.with_rest, Purpose::search,
                           fmt::format("in the subject as it is {} seem to do nothing: is the fix without them enough?",
                                       list_of(some.members, " and "))));
  return trials;
}

}  // namespace bisectd::strategies
