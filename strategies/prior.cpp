#include "strategies/prior.hpp"

#include <array>
#include <iterator>

namespace bisectd::strategies {
namespace {

// Halved and doubled: docs/search_figures.md, "How much the other constants matter".
constexpr std::size_t kMostFurther = 64;  // culprits beside those found
constexpr double kWorthless = 0.25;       // chance that the hints tell nothing

// Not normalised. One, two or three culprits are the common case. The number itself costs log2(1 / P(k)) trials beside
// those that say which suspects they are; of the choices scanned this one keeps every cell of `bench_search alone`
// and `crash` within its target.
double count_prior(std::size_t k) {
  constexpr double kUpToThree[] = {0, 1, 3.0 / 8, 1.0 / 4};
  if (k < std::size(kUpToThree)) return kUpToThree[k];
  const double count = static_cast<double>(k);
  return 4 / (count * count * count);
}

double sum_of(std::span<const double> odds, std::span<const SuspectId> order) {
  double sum = 0;
  for (SuspectId suspect : order) sum += odds[suspect];
  return sum;
}

}  // namespace

std::vector<double> believed_odds(std::span<const Suspect> suspects) {
  double mean = 0;
  for (const Suspect& suspect : suspects) mean += suspect.odds / static_cast<double>(suspects.size());
  std::vector<double> odds;
  for (const Suspect& suspect : suspects) odds.push_back((1 - kWorthless) * suspect.odds + kWorthless * mean);
  return odds;
}

std::vector<double> believed_odds(std::span<const Suspect> suspects, const Active& always_active) {
  std::vector<double> odds = believed_odds(suspects);
  for (SuspectId suspect : members_of(always_active)) odds[suspect] = 0;
  return odds;
}

// Of k culprits those found, f, may be any: that the others are all among the suspects behind the m-th, which have the share
// s of all odds, has the probability C(k, f) s^(k - f), but for a factor that all k have in common.
std::vector<double> first_culprit(std::span<const double> odds, std::span<const SuspectId> order, std::size_t found) {
  double all = 0;
  for (double each : odds) all += each;
  std::array<double, kMostFurther + 1> weight_of{};  // by the number of further culprits
  double ways = 1;
  for (std::size_t further = 0; further <= kMostFurther; ++further) {
    if (further > 0) ways *= static_cast<double>(found + further) / static_cast<double>(further);
    weight_of[further] = ways * count_prior(found + further);
  }
  const auto none_before = [&](double share) {
    double sum = 0;
    for (std::size_t further = kMostFurther; further > 0; --further) sum = (sum + weight_of[further]) * share;
    return sum;
  };
  double behind = sum_of(odds, order), before = none_before(behind / all);
  std::vector<double> weight(order.size() + 2, 0.0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    behind = i + 1 < order.size() ? behind - odds[order[i]] : 0;
    const double after = none_before(behind / all);
    weight[i + 1] = before - after;
    before = after;
  }
  weight.back() = weight_of[0];
  return weight;
}

std::vector<double> first_partner(std::span<const double> odds, std::span<const SuspectId> order) {
  const double all = sum_of(odds, order);
  std::vector<double> weight{kLoneCause};
  for (SuspectId suspect : order) weight.push_back(kJointCause * odds[suspect] / all);
  weight.push_back(0);
  return weight;
}

}  // namespace bisectd::strategies
