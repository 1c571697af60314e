// One FirstHit per culprit.
#include "strategies/ordered.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace bisectd::strategies {
namespace {

// Of a suspect that took part in a clear set. Where a tenth of the sets breaks (`bench_search
// crash --games 200`) 33.6 trials, as with 1e-6; 33.9 with 0.1, 34.2 with 1.
constexpr double kAcquittedWeight = 1e-3;

// Likelier suspects first; of equal ones those first that are dear to neutralise, because what stands in front is active
// in most trials; else random.
std::vector<SuspectId> first_order(const CulpritPrior& prior, std::span<const Suspect> suspects, const SuspectSet& searched,
                                   Random& random) {
  std::vector<SuspectId> order = members_of(searched);
  random.shuffle(std::span(order));
  std::ranges::stable_sort(order, std::greater(), [&](SuspectId id) {
    return std::pair(prior.odds(id), suspects.empty() ? 0.0 : suspects[id].price);
  });
  return order;
}

double entropy_bits(std::span<const double> mass) {
  double bits = 0;
  for (double p : mass)
    if (p > 0) bits -= p * std::log2(p);
  return bits;
}

}  // namespace

Ordered::Ordered(const CulpritPrior& prior, std::span<const Suspect> suspects, SuspectSet base, SuspectSet out,
                 const std::vector<Observation>& history, std::uint64_t seed)
    : Bisection(prior, std::move(base), history, seed), out_(std::move(out)), acquitted_(base_.size()) {
  search_in(first_order(prior_, suspects, ~(base_ | out_), random_));
  for (const Observation& seen : history_) observe(seen);
}

std::vector<double> Ordered::weights(const std::vector<SuspectId>& order) const {
  const FirstHit bounds = heard(order, std::vector<double>(order.size() + 2, 1.0));
  const std::size_t cleared = std::min(bounds.low() == 0 ? 0 : bounds.low() - 1, order.size());
  std::vector<double> weight = prior_.first_culprit(order, found_.size(), cleared);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (acquitted_.test(order[i])) weight[i + 1] *= kAcquittedWeight;
  return weight;
}

// Other orders are tried again only once a suspect is cleared that was not before. When any verdict allowed them again, a
// search whose verdicts noise hid went on beyond 900 trials, and where 60 % of the sets break 87 % of the searches for one
// and a pair were exact; now all are (`bench_search crash --crash 0.6 --games 200`).
void Ordered::observe(const Observation& seen) {
  if (seen.outcome == Outcome::clear && base_.is_subset_of(seen.exposed) && !seen.exposed.is_subset_of(acquitted_)) {
    acquitted_ |= seen.exposed;
    allow_all_orders_again();
  }
  Bisection::observe(seen);
}

void Ordered::advance() {
  while (!complete_ && first_hit().decided()) {
    const std::size_t at = first_hit().high();
    std::vector<SuspectId> order = first_hit().order();
    complete_ = at == 0 || at > order.size();
    if (complete_) return;
    found_.push_back(order[at - 1]);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(at - 1));
    allow_all_orders_again();
    search_in(std::move(order));
  }
}

double Ordered::none_left() const { return complete() ? 1.0 : first_hit().posterior().back(); }

// A suspect is the next culprit with its posterior probability, or stands behind the next one; there the prior expects
// about as many culprits again as were found, and one at least half of the time.
std::vector<double> Ordered::guilt() const {
  std::vector<double> guilt(base_.size(), 0.0);
  for (SuspectId suspect : found_) guilt[suspect] = 1.0;
  if (complete()) return guilt;
  const std::vector<SuspectId>& order = first_hit().order();
  const std::vector<double> mass = first_hit().posterior();
  double odds_behind = 0;
  for (SuspectId suspect : order) odds_behind += prior_.odds(suspect);
  const double expected = 0.5 * static_cast<double>(found_.size() + 1);
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double other = std::min(0.5, expected * prior_.odds(order[i]) / std::max(odds_behind, 1e-300));
    guilt[order[i]] = std::min(1.0, mass[i + 1] + before * other);
    before += mass[i + 1];
    odds_behind -= prior_.odds(order[i]);
  }
  return guilt;
}

double Ordered::trials_left() const { return complete() ? 0.0 : entropy_bits(first_hit().posterior()) + 1.0; }

}  // namespace bisectd::strategies
