// Candidates are the beginnings of random orders of the suspects with which half of the explanations fail, which alone tells
// one bit, and fixes. That which adds most to the bits of all sets together is taken.
#include "strategies/causes/pools.hpp"

#include <algorithm>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies::causes {
namespace {

constexpr std::size_t kTogether = 8;                 // sets whose outcomes are looked at together
constexpr std::size_t kCandidates = 24, kFixes = 4;  // of which so many fix one explanation
constexpr double kLeastGain = 0.02;                  // bits

bool fails(const Explanation& explanation, const SuspectSet& set) {
  return std::ranges::any_of(explanation, [&](const Cause& cause) {
    return std::ranges::all_of(cause, [&](SuspectId member) { return set.test(member); });
  });
}

/// Of the outcomes by explanation, each vote seen through a channel that flips it.
double entropy_of(const std::vector<std::size_t>& outcomes, std::size_t votes, double doubt) {
  std::vector<double> share(std::size_t{1} << votes);
  for (std::size_t outcome : outcomes) share[outcome] += 1 / static_cast<double>(outcomes.size());
  for (std::size_t bit = 1; bit < share.size() && doubt > 0; bit <<= 1)
    for (std::size_t i = 0; i < share.size(); ++i)
      if (!(i & bit)) {
        const double clear = share[i], hit = share[i | bit];
        share[i] = (1 - doubt) * clear + doubt * hit;
        share[i | bit] = doubt * clear + (1 - doubt) * hit;
      }
  double sum = 0;
  for (double each : share) sum -= each > 0 ? each * portable_log2(each) : 0;
  return sum;
}

SuspectSet fix_of(const Explanation& explanation, std::size_t suspects, Random& random) {
  SuspectSet set(suspects);
  set.set();
  for (const Cause& cause : explanation) set.reset(cause[random.below(cause.size())]);
  return set;
}

/// What is dear to neutralise comes sooner in the order.
SuspectSet half(const std::vector<Explanation>& explanations, std::span<const Suspect> suspects, double mean,
                Random& random) {
  std::vector<double> rank, fails_from;  // by explanation: the rank with which it begins to fail
  for (const Suspect& each : suspects) rank.push_back(random.unit() / (mean > 0 ? 1 + each.price / mean : 1));
  for (const Explanation& explanation : explanations) {
    double first = 1;
    for (const Cause& cause : explanation) {
      double last = 0;
      for (SuspectId member : cause) last = std::max(last, rank[member]);
      first = std::min(first, last);
    }
    fails_from.push_back(first);
  }
  const auto middle = fails_from.begin() + static_cast<std::ptrdiff_t>(fails_from.size() / 2);
  std::ranges::nth_element(fails_from, middle);
  SuspectSet set(rank.size());
  for (SuspectId suspect = 0; suspect < rank.size(); ++suspect) set.set(suspect, rank[suspect] < *middle);
  return set;
}

}  // namespace

void add_pools(const std::vector<Explanation>& explanations, std::span<const Suspect> suspects, const Active& always_active,
               double doubt, std::size_t count, std::span<const Active> known, std::vector<Active>& batch, Random& random) {
  const double noise = doubt > 0 ? -doubt * portable_log2(doubt) - (1 - doubt) * portable_log2(1 - doubt) : 0;
  double mean = 0;
  for (const Suspect& each : suspects) mean += each.price / static_cast<double>(suspects.size());
  std::vector<std::size_t> outcomes(explanations.size(), 0);  // of the last so many sets of the batch
  const auto with = [&](const SuspectSet& set) {
    std::vector<std::size_t> next = outcomes;
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = 2 * next[i] + fails(explanations[i], set);
    return next;
  };
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t votes = at % kTogether;
    if (votes == 0) std::ranges::fill(outcomes, 0);
    if (at < batch.size()) {
      outcomes = with(batch[at]);
      continue;
    }
    double most = entropy_of(outcomes, votes, doubt) + noise + kLeastGain;
    Active best;
    for (std::size_t candidate = 0; candidate < kCandidates; ++candidate) {
      Active set = always_active;
      set |= candidate < kFixes ? fix_of(explanations[random.below(explanations.size())], suspects.size(), random)
                                : half(explanations, suspects, mean, random);
      const double bits = entropy_of(with(set), votes + 1, doubt);
      if (bits <= most || std::ranges::count(known, set) || std::ranges::count(batch, set)) continue;
      most = bits;
      best = std::move(set);
    }
    if (best.empty()) return;
    outcomes = with(best);
    batch.push_back(std::move(best));
  }
}

}  // namespace bisectd::strategies::causes
