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
  return effects_of(phases_.log(), phases_.always_active(), with_fix(), standing_.causes(), phases_.signatures_tell());
}

Needless KnownCauses::needless() const {
  const std::optional<Effects> known = effects();
  if (!known) return {};
  for (std::vector<SuspectId>& members : needless_sets(*known)) {
    std::vector<SuspectId> rest = standing_.culprit_set();
    std::erase_if(rest, [&](SuspectId member) { return std::ranges::count(members, member) > 0; });
    Needless needless{std::move(members), standing_.all_but(rest)};
    if (!are_needed(needless)) return needless;
  }
  return {};
}

bool KnownCauses::are_needed(const Needless& needless) const {
  return phases_.verdict_of(needless.with_rest) == Verdict::fail ||
         is_still_off(standing_.as_is(), phases_.log().measured(needless.with_rest));
}

bool KnownCauses::is_shown(const Needless& needless) const {
  return !needless.members.empty() && phases_.verdict_of(needless.with_rest) == Verdict::pass && !are_needed(needless);
}

std::vector<Active> KnownCauses::unmeasured() const {
  if (effects()) return {};
  return to_be_measured(phases_.log(), phases_.always_active(), standing_.causes());
}

Trial KnownCauses::trial(const Active& active, Purpose purpose, std::string reason) const {
  return {neutralised_beside(active), purpose, std::move(reason)};
}

std::vector<Trial> KnownCauses::trials() const {
  if (!all_known()) return {};
  std::vector<Trial> trials;
  for (const Active& active : unmeasured())
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
