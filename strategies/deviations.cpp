#include "strategies/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies {
namespace {

/// A suspect stands out if it changes the first steps by more than this many times what sets without it differ by. Where a
/// device rounds coarsely every set does, and by about as much; all neutralised, it is off by as much, too. A choice: in
/// three searches of a made-up world where all are innocent 0, 1 and 1 were named with it, 4, 2 and 3 without.
constexpr double kStandsOut = 3;
constexpr std::size_t kFewSets = 3;  ///< fewer tell nothing of what sets differ by

double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) size = std::max(size, std::abs(a[i] - b[i]));
  return size;
}

/// What a quarter of the sets without this suspect and without the guilty differ by at most from everything neutralised, in
/// healthy spreads; 0: too few are known. Of a quarter only, as other suspects may change the first steps, too. At most what
/// `without`, everything neutralised, is off from the reference.
double background(const EvidenceLog& log, SuspectId suspect, const SuspectSet& guilty, const std::vector<double>& without,
                  const Active& least) {
  std::map<SuspectSet, double> sizes;
  for (const Told& told : log.told()) {
    const std::vector<double>& steps = told.evidence.signature;
    const Active& active = told.active;
    if (steps.size() != without.size() || told.leans_to_fail() || active.test(suspect) || active.intersects(guilty))
      continue;
    if (active != least) sizes.try_emplace(active, greatest_difference(steps, without));
  }
  if (sizes.size() < kFewSets) return 0;
  std::vector<double> sorted;
  for (const auto& [active, size] : sizes) sorted.push_back(size);
  std::ranges::sort(sorted);
  return std::min(sorted[(sorted.size() - 1) / 4], greatest_difference(without, std::vector<double>(without.size(), 0.0)));
}

}  // namespace

std::vector<Deviation> harmless_deviations(const EvidenceLog& log, const Active& always_active, const SuspectSet& guilty) {
  std::vector<Deviation> found;
  const std::vector<double> without = log.signature_of(always_active);
  if (without.empty()) return found;
  for (const LogEntry& entry : log.entries()) {
    if (entry.verdict != Verdict::pass || !always_active.is_subset_of(entry.active)) continue;
    std::vector<double> steps = log.signature_of(entry.active);
    if (steps.size() != without.size()) continue;
    const SuspectSet suspects = entry.active - always_active;
    if (suspects.count() != 1 || suspects.intersects(guilty)) continue;
    const SuspectId alone = suspects.find_first();
    const double size = greatest_difference(steps, without);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] -= without[i];
    if (signatures::differs_clearly(steps) && size > kStandsOut * background(log, alone, guilty, without, always_active))
      found.push_back({alone, size});
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::size);
  return found;
}

}  // namespace bisectd::strategies
