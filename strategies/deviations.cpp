#include "strategies/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies {
namespace {

/// The only one of these that is not needed by another one.
std::optional<SuspectId> lone(const SuspectSet& suspects, const Relations& relations) {
  const std::vector<SuspectId> members = members_of(suspects);
  if (members.size() == 1) return members.front();
  for (SuspectId member : members)
    if (std::ranges::includes(relations.with_needs(std::span(&member, 1)), members)) return member;
  return std::nullopt;
}

}  // namespace

std::vector<Deviation> harmless_deviations(const EvidenceLog& log, const Relations& relations, const Active& always_active,
                                           const SuspectSet& guilty) {
  std::vector<Deviation> found;
  const std::vector<double> without = log.signature_of(relations.effective(always_active));
  if (without.empty()) return found;
  for (const LogEntry& entry : log.entries()) {
    if (entry.verdict != Verdict::pass || !always_active.is_subset_of(relations.widest(entry.active))) continue;
    std::vector<double> steps = log.signature_of(entry.active);
    if (steps.size() != without.size()) continue;
    const std::optional<SuspectId> alone = lone(entry.active - always_active, relations);
    if (!alone || guilty.test(*alone)) continue;
    double size = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] -= without[i];
      size = std::max(size, std::abs(steps[i]));
    }
    if (signatures::differs_clearly(steps)) found.push_back({*alone, size});
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::size);
  return found;
}

}  // namespace bisectd::strategies
