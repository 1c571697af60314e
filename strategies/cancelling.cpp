#include "strategies/cancelling.hpp"

#include <algorithm>

#include "strategies/mended.hpp"

namespace bisectd::strategies {

// Of eight made-up searches on a device that rounds as coarsely as the references differ, four left out a fault that another
// one hid (-0.83 % in 24 sets, each bad with 65 % by the judge); none of 64 others, with the right answer, had such a set.
const LogEntry* leans_to_fail_with_more_neutralised(const EvidenceLog& log, const Active& always_active,
                                                    const Accused& proved) {
  if (!log.exact()) return nullptr;
  const Active with_fix = all_but(proved.culprit_set, always_active.size());
  const LogEntry* worst = nullptr;
  double most = 0;
  for (const Told& told : log.told()) {
    if (!told.entry || !told.leans_to_fail() || told.evidence.p_bad <= most) continue;
    const LogEntry& entry = log.entries()[*told.entry];
    const bool hidden = entry.verdict == Verdict::inconclusive && entry.inconclusive > 0;
    // Beside something neutralised that should not be, what fails says nothing of the fix.
    if (!hidden || !entry.active.is_subset_of(with_fix) || !always_active.is_subset_of(entry.active)) continue;
    most = told.evidence.p_bad;
    worst = &entry;
  }
  return worst;
}

std::optional<Active> beside_one_cause(const EvidenceLog& log, const Active& always_active, const Accused& proved) {
  if (!log.exact()) return std::nullopt;
  const Active with_fix = all_but(proved.culprit_set, always_active.size());
  std::optional<Active> beside;
  double most = 0;
  for (const std::vector<SuspectId>& cause : proved.causes) {
    const Active alone = only_active(cause, always_active);
    const Measured by_itself = log.measured(alone);
    const auto is_active = [](const Told& told) { return [&](SuspectId member) { return told.active.test(member); }; };
    for (const Told& told : log.told()) {
      const bool single = alone.is_subset_of(told.active) && std::ranges::none_of(proved.causes, [&](const auto& other) {
                            return other != cause && std::ranges::any_of(other, is_active(told));
                          });
      if (!single || told.active.all() || told.evidence.verdict != Verdict::fail ||
          !is_off_otherwise(by_itself, told.evidence.measured()))
        continue;
      // Off to the same side by more may be what harm neutralising does; what hides in the fix makes up for a part.
      const double made_up = (*by_itself.difference - *told.evidence.delta) * (*by_itself.difference < 0 ? -1 : 1);
      if (made_up <= most) continue;
      most = made_up;
      beside = Active(told.active & with_fix);
    }
  }
  return beside;
}

}  // namespace bisectd::strategies
