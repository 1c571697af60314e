// P(first culprit of a suffix) by elementary symmetric functions, O(N K).
#include "strategies/prior.hpp"

#include <algorithm>
#include <iterator>

namespace bisectd::strategies {
namespace {

// Halved and doubled: docs/search_figures.md, "How much the other constants matter".
constexpr std::size_t kMostCulprits = 32;  // of the exact formula
constexpr std::size_t kMany = 16;          // found: from here on only their density counts
constexpr double kWorthless = 0.25;        // chance that the hints tell nothing
constexpr double kLeastOdds = 1e-6;        // against the likeliest; keeps every product far from underflow

// Not normalised. One, two or three culprits are the common case. The number itself costs log2(1 / P(k)) trials beside
// those that say which suspects they are; of the choices scanned this one keeps every cell of `bench_search alone`
// and `crash` within its target.
double count_prior(std::size_t k) {
  constexpr double kUpToThree[] = {0, 1, 3.0 / 8, 1.0 / 4};
  if (k < std::size(kUpToThree)) return kUpToThree[k];
  const double count = static_cast<double>(k);
  return 4 / (count * count * count);
}

// One step of E_k(S + x) = E_k(S) + x E_{k-1}(S), for all k.
void add_to_symmetric(std::vector<double>& symmetric, double x) {
  for (std::size_t k = symmetric.size() - 1; k > 0; --k) symmetric[k] += x * symmetric[k - 1];
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

CulpritPrior::CulpritPrior(std::vector<double> odds) : odds_(std::move(odds)) {
  const double most = odds_.empty() ? 1.0 : *std::max_element(odds_.begin(), odds_.end());
  for (double& o : odds_) o = std::max(o / most, kLeastOdds);
  std::vector<double> symmetric(std::min(kMostCulprits, odds_.size()) + 1, 0.0);
  symmetric[0] = 1;
  for (double o : odds_) add_to_symmetric(symmetric, o);
  count_weight_.assign(symmetric.size(), 0.0);
  for (std::size_t k = 1; k < symmetric.size(); ++k) {
    count_weight_[k] = count_prior(k) / symmetric[k];
  }
}

// Let F be the found culprits, f = |F|. A set with first culprit x = order[m-1] among the rest is F + x + T with T in
// the suffix behind x, so its weight summed over T is  odds(F) odds(x) sum_k w_k E_{k-f-1}(suffix),  w_k = P(k) /
// E_k(all). "None left" is the set F itself: odds(F) w_f. The factor odds(F) is common and left out.
//
// The formula ends at 32 culprits. Long before that, the density seen so far is the better guide (every suspect may be
// guilty): the next one is then a geometric distance away.
std::vector<double> CulpritPrior::first_culprit(std::span<const SuspectId> order, std::size_t found,
                                                std::size_t cleared) const {
  const std::size_t last = order.size();
  std::vector<double> weight(last + 2, 0.0);
  if (found >= kMany && odds_.size() > kMostCulprits) {
    const double density = static_cast<double>(found + 1) / static_cast<double>(found + std::min(cleared, last) + 2);
    double reach = 1;
    for (std::size_t m = cleared + 1; m <= last; ++m) {
      weight[m] = reach * density;
      reach *= 1 - density;
    }
    weight[last + 1] = reach;
    return weight;
  }
  const std::size_t most = count_weight_.size() - 1;
  std::vector<double> symmetric(most + 1, 0.0);  // of the suffix behind order[m-1]
  symmetric[0] = 1;
  for (std::size_t m = last; m > 0; --m) {
    double sum = 0;
    for (std::size_t k = found + 1; k <= most; ++k) sum += count_weight_[k] * symmetric[k - found - 1];
    const double o = odds_[order[m - 1]];
    weight[m] = o * sum;
    add_to_symmetric(symmetric, o);
  }
  weight[last + 1] = found == 0 ? 0.0 : count_weight_[std::min(found, most)];
  return weight;
}

}  // namespace bisectd::strategies
