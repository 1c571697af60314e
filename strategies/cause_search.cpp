// Partners are found from the last to the first: the shortest prefix that hits beside the members ends with a partner.
#include "strategies/cause_search.hpp"

#include <algorithm>

namespace bisectd::strategies {
namespace {

constexpr double kWhole = 0.85;  // prior that the members found so far are the whole cause
constexpr double kTwoMore = 0.2;  // where a first partner is missing: that there are two
constexpr std::size_t kMostOrders = 12;

}  // namespace

CauseSearch::CauseSearch(std::optional<SuspectId> culprit, const CulpritPrior& prior, const Relations& relations,
                         SuspectSet base, std::vector<SuspectId> order, const std::vector<Observation>& history,
                         std::uint64_t seed)
    : prior_(prior),
      relations_(relations),
      base_(std::move(base)),
      history_(history),
      random_(seed),
      stage_(relations_, base_, {}, {1.0, 1.0}) {
  if (culprit)
    expose(*culprit, std::move(order));
  else
    stage_ = stage(std::move(order));
  for (const Observation& seen : history_) observe(seen);
}

// One more member; the next is searched in the rest of `order`.
void CauseSearch::expose(SuspectId member, std::vector<SuspectId> order) {
  members_.push_back(member);
  for (SuspectId exposed : relations_.with_needs(std::span(&member, 1))) base_.set(exposed);
  std::erase_if(order, [&](SuspectId suspect) { return base_.test(suspect); });
  attempts_ = 0;
  stage_ = stage(std::move(order));
}

// The prefix must hold all partners, so that its last one is the later of two where there are two: of density 2 F, F the
// share that stands before it.
FirstHit CauseSearch::stage(std::vector<SuspectId> order) const {
  double sum = 0, before = 0;
  for (SuspectId suspect : order) sum += prior_.odds(suspect);
  const double two = members_.size() == 1 ? kTwoMore : 0.0;
  std::vector<double> weight(order.size() + 2, 0.0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double share = prior_.odds(order[i]) / sum;
    weight[i + 1] = (1 - kWhole) * share * (1 - two + two * 2 * (before + share / 2));
    before += share;
  }
  weight[0] = kWhole;
  FirstHit made(relations_, base_, std::move(order), std::move(weight));
  for (const Observation& seen : history_) made.observe(seen);
  return made;
}

void CauseSearch::observe(const Observation& seen) {
  stage_.observe(seen);
  advance();
  while (!complete_ && attempts_ < kMostOrders && stage_.starved())
    stage_ = stage(stage_.reordered(attempts_++, random_));
}

void CauseSearch::advance() {
  while (!complete_ && stage_.decided()) {
    const std::size_t at = stage_.high();
    if (at == 0 || at > stage_.order().size()) {
      complete_ = true;
      return;
    }
    std::vector<SuspectId> order = stage_.order();
    const SuspectId partner = order[at - 1];
    order.resize(at - 1);
    expose(partner, std::move(order));
  }
}

std::vector<SuspectSet> CauseSearch::ask(std::size_t count, std::span<const SuspectSet> pending) const {
  if (complete_) return {};
  return stage_.cuts(count, pending);
}

}  // namespace bisectd::strategies
