#include "strategies/doubts.hpp"

#include <fmt/format.h>

#include <optional>

#include "strategies/hidden.hpp"
#include "strategies/mended.hpp"

namespace bisectd::strategies {
namespace {

constexpr int kMostTimes = 6;  // of one trial, after which nothing settles the doubt; a choice, not measured

struct Said {
  int votes = 0;  // for the proof, less those against it
  int times = 0;  // with or without a verdict
};

/// The smallest set that passes without the fix.
std::optional<Neutralised> other_fix(const Neutralised& fix, const Measured& as_is, std::span<const Evidence> told,
                                     const SuspectSet& harmful) {
  std::optional<Neutralised> found;
  for (const Evidence& each : told) {
    const Neutralised& set = each.neutralised;
    const bool passes_without_it = each.verdict == Verdict::pass && set.intersects(harmful) && !fix.is_subset_of(set) &&
                                   !is_still_off(as_is, each.measured());
    if (passes_without_it && (!found || set.count() < found->count())) found = set;
  }
  return found;
}

}  // namespace

Doubts doubts_about(const Accused& proved, const Measured& as_is, std::span<const Evidence> told, const SuspectSet& harmful,
                    const Active& least_active, int votes) {
  const Neutralised fix = neutralised_beside(all_but(proved.culprit_set, least_active.size()));
  Doubts doubts;
  const auto settle = [&](const Neutralised& set, auto speaks_for_it, const char* reason, const std::string& objection) {
    Said said;
    for (const Evidence& each : told) {
      if (each.neutralised != set) continue;
      if (decided(each.verdict)) said.votes += speaks_for_it(each) ? 1 : -1;
      ++said.times;
    }
    if (said.votes >= votes) return;
    if (said.votes <= -votes || said.times >= kMostTimes) doubts.objection = objection;
    else doubts.open.push_back({set, Purpose::search, reason});
  };
  const std::string but_for_fix = fmt::format("with everything neutralised it fails; it passes {}", with_neutralised(fix));
  if (const auto other = other_fix(fix, as_is, told, harmful)) {
    settle(
        Neutralised(*other | fix), [](const Evidence& each) { return each.verdict == Verdict::pass; },
        "two fixes that mend pass together, and one that only makes up for the fault does not",
        fmt::format(
            "{}, and also {}, but not with both: one of the two only makes up for the fault, and verdicts do not tell which",
            but_for_fix, with_neutralised(*other)));
    return doubts;
  }
  // One that passes without the fix, and is still off, is mended no more than one that fails.
  const auto not_mended = [&](const Evidence& each) {
    return each.verdict == Verdict::fail || is_still_off(as_is, each.measured());
  };
  std::vector<std::vector<SuspectId>> still_active = proved.causes;
  if (still_active.size() > 1) still_active.insert(still_active.begin(), proved.culprit_set);
  for (const std::vector<SuspectId>& members : still_active)
    settle(neutralised_beside(only_active(members, least_active)), not_mended,
           "neutralises all but what is accused: it fails, if that does not only make up for the fault",
           but_for_fix + ", which may only make up for the fault, and the trial that would tell says nothing");
  return doubts;
}

}  // namespace bisectd::strategies
