// One FirstHit after the other, each of which hears all that was observed so far, in another order where too many of its
// sets say nothing. Members of a cause are found from the last to the first: the shortest beginning that hits beside those
// found ends with one.
#include "strategies/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "strategies/prior.hpp"

namespace bisectd::strategies {
namespace {

// Tried for one member. It matters where most sets break: of searches for one culprit and a pair (`bench_search crash
// --crash 0.6 --games 200`) 93.5 % named both, with 12 orders 63 %, with 3 20.5 %. With `--crash 0.3` 3 orders let 79.5 %
// name both, 12 and more all.
constexpr std::size_t kMostOrders = 24;

// Of a suspect that took part in a clear set. Where a tenth of the sets breaks (`bench_search
// crash --games 200`) 33.6 trials, as with 1e-6; 33.9 with 0.1, 34.2 with 1.
constexpr double kAcquittedWeight = 1e-3;

// Likelier suspects first; of equal ones those first that are dear to neutralise, because what stands in front is active
// in most trials; else random.
std::vector<SuspectId> first_order(const std::vector<double>& odds, std::span<const Suspect> suspects,
                                   const SuspectSet& searched, Random& random) {
  std::vector<SuspectId> order = members_of(searched);
  random.shuffle(std::span(order));
  std::ranges::stable_sort(order, std::greater(),
                           [&](SuspectId id) { return std::pair(odds[id], suspects.empty() ? 0.0 : suspects[id].price); });
  return order;
}

double entropy_bits(std::span<const double> mass) {
  double bits = 0;
  for (double p : mass)
    if (p > 0) bits -= p * std::log2(p);
  return bits;
}

}  // namespace

Bisection::Bisection(const std::vector<double>& odds, SuspectSet base, bool of_cause,
                     const std::vector<Observation>& history, std::uint64_t seed)
    : odds_(odds),
      base_(std::move(base)),
      acquitted_(base_.size()),
      of_cause_(of_cause),
      history_(history),
      random_(seed),
      first_hit_(base_, {}, {1.0, 1.0}) {}

Bisection::Bisection(const std::vector<double>& odds, std::span<const Suspect> suspects, SuspectSet base,
                     const SuspectSet& out, const std::vector<Observation>& history, std::uint64_t seed)
    : Bisection(odds, std::move(base), false, history, seed) {
  search_in(first_order(odds_, suspects, ~(base_ | out), random_));
  take_in_history();
}

Bisection::Bisection(const std::vector<double>& odds, SuspectSet base, std::optional<SuspectId> culprit,
                     std::vector<SuspectId> order, const std::vector<Observation>& history, std::uint64_t seed)
    : Bisection(odds, std::move(base), true, history, seed) {
  if (culprit) take(*culprit, std::move(order));
  else search_in(std::move(order));
  take_in_history();
}

void Bisection::take_in_history() {
  for (const Observation& seen : history_) observe(seen);
}

/// From now on the question is where the first hit in this order is.
void Bisection::search_in(std::vector<SuspectId> order) {
  std::vector<double> weight = of_cause_ ? first_partner(odds_, order) : first_culprit(odds_, order, found_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (acquitted_.test(order[i])) weight[i + 1] *= kAcquittedWeight;
  first_hit_ = FirstHit(base_, std::move(order), std::move(weight));
  for (const Observation& seen : history_) first_hit_.observe(seen);
}

/// The next is searched in the rest of `order`.
void Bisection::take(SuspectId member, std::vector<SuspectId> order) {
  found_.push_back(member);
  if (of_cause_) base_.set(member);
  std::erase_if(order, [&](SuspectId suspect) { return suspect == member || base_.test(suspect); });
  orders_ = 0;
  search_in(std::move(order));
}

// Other orders are tried again only once a suspect is cleared that was not before. When any verdict allowed them again, a
// search whose verdicts noise hid went on beyond 900 trials, and where 60 % of the sets break 87 % of the searches for one
// and a pair were exact; now all are (`bench_search crash --crash 0.6 --games 200`).
void Bisection::observe(const Observation& seen) {
  if (!of_cause_ && seen.outcome == Outcome::clear && base_.is_subset_of(seen.exposed) &&
      !seen.exposed.is_subset_of(acquitted_)) {
    acquitted_ |= seen.exposed;
    orders_ = 0;
  }
  first_hit_.observe(seen);
  while (!complete_ && first_hit_.decided()) {
    const std::size_t at = first_hit_.high();
    std::vector<SuspectId> order = first_hit_.order();
    complete_ = at == 0 || at > order.size();
    if (complete_) break;
    const SuspectId member = order[at - 1];
    if (of_cause_) order.resize(at);
    take(member, std::move(order));
  }
  while (orders_ < kMostOrders && first_hit_.starved()) search_in(first_hit_.reordered(orders_++, random_));
}

std::vector<SuspectSet> Bisection::ask(std::size_t count, std::span<const SuspectSet> pending) const {
  return complete_ ? std::vector<SuspectSet>{} : first_hit_.cuts(count, pending);
}

std::vector<SuspectSet> Bisection::retries() const {
  return complete_ ? std::vector<SuspectSet>{} : first_hit_.silent_cuts();
}

double Bisection::none_left() const { return complete_ ? 1.0 : first_hit_.posterior().back(); }

// A suspect is the next culprit with its posterior probability, or stands behind the next one; there the prior expects
// about as many culprits again as were found, and one at least half of the time.
std::vector<double> Bisection::guilt() const {
  std::vector<double> guilt(base_.size(), 0.0);
  for (SuspectId suspect : found_) guilt[suspect] = 1.0;
  if (complete_) return guilt;
  const std::vector<SuspectId>& order = first_hit_.order();
  const std::vector<double> mass = first_hit_.posterior();
  double odds_behind = 0;
  for (SuspectId suspect : order) odds_behind += odds_[suspect];
  const double expected = 0.5 * static_cast<double>(found_.size() + 1);
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double other = std::min(0.5, expected * odds_[order[i]] / std::max(odds_behind, 1e-300));
    guilt[order[i]] = std::min(1.0, mass[i + 1] + before * other);
    before += mass[i + 1];
    odds_behind -= odds_[order[i]];
  }
  return guilt;
}

double Bisection::trials_left() const { return complete_ ? 0.0 : entropy_bits(first_hit_.posterior()) + 1.0; }

}  // namespace bisectd::strategies
