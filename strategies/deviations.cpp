#include "strategies/deviations.hpp"

#include <algorithm>
#include <cmath>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies {

std::vector<Deviation> harmless_deviations(const EvidenceLog& log, const Relations& relations,
                                           const SuspectSet& always_active) {
  std::vector<Deviation> found;
  const std::vector<double> without = log.signature_of(relations.effective(always_active));
  for (const LogEntry& entry : log.entries()) {
    if (entry.verdict != Verdict::pass) continue;
    const std::vector<SuspectId> alone = relations.outermost(members_of(entry.active - always_active));
    std::vector<double> steps = log.signature_of(entry.active);
    if (alone.size() != 1 || steps.size() != without.size()) continue;
    double size = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] -= without[i];
      size = std::max(size, std::abs(steps[i]));
    }
    if (signatures::speaks(steps)) found.push_back({alone.front(), size});
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::size);
  return found;
}

}  // namespace bisectd::strategies
