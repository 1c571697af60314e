#include "strategies/bisection.hpp"

namespace bisectd::strategies {
namespace {

// Tried for one member. It matters where most sets break: of searches for one culprit and a pair (`bench_search crash
// --crash 0.6 --games 200`) 93.5 % named both, with 12 orders 63 %, with 3 20.5 %. With `--crash 0.3` 3 orders let 79.5 %
// name both, 12 and more all.
constexpr std::size_t kMostOrders = 24;

}  // namespace

Bisection::Bisection(const CulpritPrior& prior, SuspectSet base, const std::vector<Observation>& history, std::uint64_t seed)
    : prior_(prior), base_(std::move(base)), history_(history), random_(seed), first_hit_(base_, {}, {1.0, 1.0}) {}

FirstHit Bisection::heard(std::vector<SuspectId> order, std::vector<double> weight) const {
  FirstHit made(base_, std::move(order), std::move(weight));
  for (const Observation& seen : history_) made.observe(seen);
  return made;
}

void Bisection::search_in(std::vector<SuspectId> order) {
  std::vector<double> weight = weights(order);
  first_hit_ = heard(std::move(order), std::move(weight));
}

void Bisection::observe(const Observation& seen) {
  first_hit_.observe(seen);
  advance();
  while (orders_ < kMostOrders && first_hit_.starved()) search_in(first_hit_.reordered(orders_++, random_));
}

std::vector<SuspectSet> Bisection::ask(std::size_t count, std::span<const SuspectSet> pending) const {
  return complete_ ? std::vector<SuspectSet>{} : first_hit_.cuts(count, pending);
}

std::vector<SuspectSet> Bisection::retries() const {
  return complete_ ? std::vector<SuspectSet>{} : first_hit_.silent_cuts();
}

}  // namespace bisectd::strategies
