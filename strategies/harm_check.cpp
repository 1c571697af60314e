#include "strategies/harm_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "strategies/hidden.hpp"
#include "strategies/mended.hpp"

namespace bisectd::strategies {
namespace {

bool is_allowed(const Neutralised& set, const Relations& relations) {
  const Active active = active_beside(set);
  return std::ranges::any_of(relations.least_active_sets(), [&](const Active& least) { return least.is_subset_of(active); });
}

// One that passes without the fix, and is as far off as before, is mended no more than one that fails.
void count_votes(HarmCheck& check, std::span<const Evidence> told, const std::vector<double>& as_is) {
  for (const Evidence& each : told) {
    if (each.neutralised != check.neutralised) continue;
    const bool fails = each.verdict == Verdict::fail || (!check.other && is_as_far_off(as_is, each.signature));
    if (decided(each.verdict)) check.votes += fails == (check.expected == Verdict::fail) ? 1 : -1;
    ++check.times;
  }
}

}  // namespace

std::vector<HarmCheck> harm_checks(std::span<const Evidence> told, const Neutralised& fix,
                                   std::span<const std::vector<SuspectId>> causes, const LeftActive& left_active,
                                   const Relations& relations, const std::vector<double>& as_is) {
  std::optional<Neutralised> other;  // the smallest
  for (const Evidence& each : told) {
    const bool passes_without_it = each.verdict == Verdict::pass && each.neutralised.intersects(left_active.harmful) &&
                                   !fix.is_subset_of(each.neutralised) && !is_as_far_off(as_is, each.signature);
    if (passes_without_it && (!other || each.neutralised.count() < other->count()) &&
        is_allowed(Neutralised(each.neutralised | fix), relations))
      other = each.neutralised;
  }
  std::vector<HarmCheck> checks;
  if (other) {
    checks.push_back({.neutralised = Neutralised(*other | fix), .expected = Verdict::pass, .other = other});
  } else {
    for (const std::vector<SuspectId>& cause : causes) {
      const Active least(relations.least_active_sets().front() | left_active.breaking);
      checks.push_back({.neutralised = neutralised_beside(relations.widest(relations.alone(cause, least))), .other = {}});
    }
  }
  for (HarmCheck& check : checks) count_votes(check, told, as_is);
  return checks;
}

std::string objection(const HarmCheck& check, const Neutralised& fix) {
  if (!check.other)
    return fmt::format(
        "with everything neutralised it fails; it passes {}, which may only make up for the fault, and the trial "
        "that would tell says nothing",
        with_neutralised(fix));
  return fmt::format(
      "with everything neutralised it fails; it passes {}, and also {}, but not with both: one of the two only "
      "makes up for the fault, and verdicts do not tell which",
      with_neutralised(fix), with_neutralised(*check.other));
}

}  // namespace bisectd::strategies
