// Partners are found from the last to the first: the shortest prefix that hits beside the members ends with a partner.
#include "strategies/cause_search.hpp"

#include "strategies/prior.hpp"

namespace bisectd::strategies {
CauseSearch::CauseSearch(std::optional<SuspectId> culprit, const CulpritPrior& prior, SuspectSet base,
                         std::vector<SuspectId> order, const std::vector<Observation>& history, std::uint64_t seed)
    : Bisection(prior, std::move(base), history, seed) {
  if (culprit) expose(*culprit, std::move(order));
  else search_in(std::move(order));
  for (const Observation& seen : history_) observe(seen);
}

// One more member; the next is searched in the rest of `order`.
void CauseSearch::expose(SuspectId member, std::vector<SuspectId> order) {
  members_.push_back(member);
  base_.set(member);
  std::erase_if(order, [&](SuspectId suspect) { return base_.test(suspect); });
  allow_all_orders_again();
  search_in(std::move(order));
}

std::vector<double> CauseSearch::weights(const std::vector<SuspectId>& order) const {
  double sum = 0;
  for (SuspectId suspect : order) sum += prior_.odds(suspect);
  std::vector<double> weight(order.size() + 2, 0.0);
  for (std::size_t i = 0; i < order.size(); ++i) weight[i + 1] = kJointCause * prior_.odds(order[i]) / sum;
  weight[0] = kLoneCause;
  return weight;
}

void CauseSearch::advance() {
  while (!complete_ && first_hit().decided()) {
    const std::size_t at = first_hit().high();
    if (at == 0 || at > first_hit().order().size()) {
      complete_ = true;
      return;
    }
    std::vector<SuspectId> order = first_hit().order();
    const SuspectId partner = order[at - 1];
    order.resize(at - 1);
    expose(partner, std::move(order));
  }
}

}  // namespace bisectd::strategies
