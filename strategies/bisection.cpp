#include "strategies/bisection.hpp"

namespace bisectd::strategies {

Bisection::Bisection(const CulpritPrior& prior, const Relations& relations, SuspectSet base,
                     const std::vector<Observation>& history, std::uint64_t seed, std::size_t most_orders)
    : prior_(prior),
      relations_(relations),
      base_(std::move(base)),
      history_(history),
      random_(seed),
      most_orders_(most_orders),
      first_hit_(relations_, base_, {}, {1.0, 1.0}) {}

FirstHit Bisection::heard(std::vector<SuspectId> order, std::vector<double> weight) const {
  FirstHit made(relations_, base_, std::move(order), std::move(weight));
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
  while (orders_ < most_orders_ && first_hit_.starved()) search_in(first_hit_.reordered(orders_++, random_));
}

}  // namespace bisectd::strategies
