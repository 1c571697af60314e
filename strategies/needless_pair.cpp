#include "strategies/needless_pair.hpp"

#include <cmath>
#include <optional>

namespace bisectd::strategies {
namespace {

// The other causes must leave less than a third of what the two do alone, as for one member (certificate.cpp).
constexpr double kDoNothing = 3;

}  // namespace

std::vector<SuspectId> needless_pair(const EvidenceLog& log, const Relations& relations, const Active& always_active,
                                     std::span<const std::vector<SuspectId>> causes) {
  if (causes.size() < 3) return {};
  const std::optional<double> as_is = log.difference_of(relations.effective(as_it_is(always_active.size())));
  if (!as_is) return {};
  double unexplained = *as_is;
  std::vector<double> alone;
  for (const std::vector<SuspectId>& cause : causes) {
    const std::optional<double> difference = log.difference_of(relations.alone(cause, always_active));
    if (!difference) return {};
    alone.push_back(*difference);
    unexplained -= *difference;
  }
  std::vector<SuspectId> pair;
  double least = HUGE_VAL;
  for (std::size_t a = 0; a < causes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double both = alone[a] + alone[b], left = std::abs(unexplained + both);
      if (causes[a].size() + causes[b].size() > 2 || left >= least || std::abs(both) <= kDoNothing * left) continue;
      pair = {causes[b].front(), causes[a].front()};
      least = left;
    }
  return pair;
}

}  // namespace bisectd::strategies
