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

}  // namespace

HarmCheck harm_check(std::span<const Evidence> told, const Neutralised& fix, const LeftActive& left_active,
                     const Relations& relations, const std::vector<double>& as_is) {
  HarmCheck check;
  for (const Evidence& each : told) {
    const bool passes_without_it = each.verdict == Verdict::pass && each.neutralised.intersects(left_active.harmful) &&
                                   !fix.is_subset_of(each.neutralised) && !is_as_far_off(as_is, each.signature);
    const bool smaller = !check.other || each.neutralised.count() < check.other->count();
    if (passes_without_it && smaller && is_allowed(Neutralised(each.neutralised | fix), relations))
      check.other = each.neutralised;
  }
  if (check.other) check.expected = Verdict::pass;
  const Active rest(relations.least_active_sets().front() | left_active.breaking | fix);
  check.neutralised = check.other ? Neutralised(*check.other | fix) : neutralised_beside(relations.widest(rest));
  for (const Evidence& each : told) {
    if (each.neutralised != check.neutralised) continue;
    // One that passes without the fix, and is as far off as before, is mended no more than one that fails.
    const bool fails = each.verdict == Verdict::fail || (!check.other && is_as_far_off(as_is, each.signature));
    if (decided(each.verdict)) check.votes += fails == (check.expected == Verdict::fail) ? 1 : -1;
    ++check.times;
  }
  return check;
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
