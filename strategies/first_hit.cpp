// Bisection over prefixes with prior weights, several devices and sets that say nothing.
#include "strategies/first_hit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bisectd::strategies {
namespace {

// A cut is acceptable while it is at least this good beside the best one that all sets saying something would allow. Where a
// tenth of the sets breaks: 33.6 trials (`bench_search crash --games 200`), 33.8 with 0.5, 33.5 with 0.99.
constexpr double kAcceptableShare = 0.9;
constexpr std::size_t kFew = 3;
constexpr double kLeastMass = 1e-9;  // of any m that is still possible: a prior never decides alone

}  // namespace

FirstHit::FirstHit(SuspectSet base, std::vector<SuspectId> order, std::vector<double> weight)
    : base_(std::move(base)),
      reachable_(base_),
      order_(std::move(order)),
      weight_(std::move(weight)),
      high_(order_.size() + 1) {
  for (SuspectId suspect : order_) reachable_.set(suspect);
  double total = 0;
  for (double w : weight_) total += w;
  const double least = total > 0 ? total * kLeastMass : 1.0;
  for (double& w : weight_) w = std::max(w, least);
}

// A hit of E within the reachable suspects: E is part of the prefix that ends with E's last member, which hits too.
// A clear E that covers base: so is every prefix within E.
void FirstHit::observe(const Observation& seen) {
  switch (seen.outcome) {
    case Outcome::nothing: silent_.insert(seen.exposed); return;
    case Outcome::hit: {
      if (!seen.exposed.is_subset_of(reachable_)) return;
      std::size_t length = std::min(high_, order_.size());
      for (std::size_t i = length; i < order_.size(); ++i)
        if (seen.exposed.test(order_[i])) return;  // ends behind what is known already
      while (length > 0 && !seen.exposed.test(order_[length - 1])) --length;
      high_ = std::min(high_, length);
      return;
    }
    case Outcome::clear: {
      if (!base_.is_subset_of(seen.exposed)) return;
      std::size_t length = 0;
      while (length < order_.size() && seen.exposed.test(order_[length])) ++length;
      low_ = std::max(low_, length + 1);
      return;
    }
  }
}

SuspectSet FirstHit::prefix(std::size_t length) const {
  SuspectSet set = base_;
  for (std::size_t i = 0; i < length; ++i) set.set(order_[i]);
  return set;
}

std::vector<double> FirstHit::posterior() const {
  std::vector<double> mass(weight_.size(), 0.0);
  double total = 0;
  for (std::size_t m = low_; m <= high_; ++m) total += weight_[m];
  for (std::size_t m = low_; m <= high_; ++m) mass[m] = weight_[m] / total;
  return mass;
}

// A cut r exposes prefix(r): it hits iff m <= r, so that the useful ones are low .. high-1, numbered from 0 here.
std::vector<bool> FirstHit::taken_by(std::span<const SuspectSet> pending) const {
  std::vector<bool> taken(high_ - low_, false);
  for (const SuspectSet& set : pending) {
    if (!base_.is_subset_of(set) || !set.is_subset_of(reachable_)) continue;
    const std::size_t length = (set - base_).count();
    if (length >= low_ && length < high_ && prefix(length) == set) taken[length - low_] = true;
  }
  return taken;
}

// Walks outwards from the target. `sum`: by cut, the chance that it hits.
std::optional<std::size_t> FirstHit::nearest_telling(double target, std::span<const double> sum,
                                                     const std::vector<bool>& taken,
                                                     std::span<const SuspectSet> pending) const {
  std::size_t right = 0;
  while (right < taken.size() && sum[right] < target) ++right;
  std::size_t left = right;  // candidates are left-1 downwards and right upwards
  while (left > 0 || right < taken.size()) {
    const bool go_right = left == 0 || (right < taken.size() && sum[right] - target <= target - sum[left - 1]);
    const std::size_t cut = go_right ? right++ : --left;
    if (taken[cut]) continue;
    const SuspectSet set = prefix(low_ + cut);
    if (!says_nothing(set) && std::ranges::find(pending, set) == pending.end()) return cut;
  }
  return std::nullopt;
}

// Together with those on their way they divide the mass evenly.
std::vector<SuspectSet> FirstHit::cuts(std::size_t count, std::span<const SuspectSet> pending) const {
  std::vector<SuspectSet> chosen;
  if (decided()) return chosen;
  const std::vector<double> mass = posterior();
  std::vector<double> sum;  // sum[i] = P(m <= low + i)
  for (std::size_t m = low_; m <= high_; ++m) sum.push_back((sum.empty() ? 0 : sum.back()) + mass[m]);
  std::vector<bool> taken = taken_by(pending);
  std::vector<double> targets;
  const auto all = static_cast<double>(count) + static_cast<double>(std::ranges::count(taken, true));
  for (double part = 1; part <= all; ++part) targets.push_back(part / (all + 1));
  for (std::size_t cut = 0; cut < taken.size(); ++cut)
    if (taken[cut])
      targets.erase(std::ranges::min_element(targets, {}, [&](double target) { return std::abs(target - sum[cut]); }));
  for (const double target : targets)
    if (const auto cut = nearest_telling(target, sum, taken, pending)) {
      taken[*cut] = true;
      chosen.push_back(prefix(low_ + *cut));
    }
  return chosen;
}

std::vector<SuspectSet> FirstHit::silent_cuts() const {
  std::vector<SuspectSet> silent;
  for (std::size_t r = low_; r < high_; ++r)
    if (SuspectSet set = prefix(r); says_nothing(set)) silent.push_back(std::move(set));
  return silent;
}

bool FirstHit::starved() const {
  if (decided() || silent_.empty()) return false;
  const std::vector<double> mass = posterior();
  double sum = 0, best = 0, best_telling = 0;
  SuspectSet set = prefix(low_);
  for (std::size_t r = low_; r < high_; ++r) {
    sum += mass[r];
    const double balance = std::min(sum, 1 - sum);
    best = std::max(best, balance);
    if (balance > best_telling && !says_nothing(set)) best_telling = balance;
    if (r < order_.size()) set.set(order_[r]);
  }
  return best_telling <= best * kAcceptableShare;
}

std::vector<SuspectId> FirstHit::reordered(std::size_t attempt, Random& random) const {
  const auto begin = order_.begin();
  const std::size_t first = low_ == 0 ? 0 : low_ - 1, last = std::min(high_, order_.size());
  std::vector<SuspectId> question(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
  if (question.size() > kFew) random.shuffle(std::span(question));
  else if (!question.empty()) std::rotate(question.begin(), question.begin() + 1, question.end());
  std::vector<SuspectId> front, cleared, behind;
  const bool disturb = attempt > 0 || question.size() <= 1;
  for (std::size_t i = 0; i < first; ++i) (disturb && random.below(2) == 0 ? cleared : front).push_back(order_[i]);
  for (std::size_t i = last; i < order_.size(); ++i) behind.push_back(order_[i]);
  if (attempt > 1 || (disturb && first == 0)) {
    const std::size_t extra = std::min(behind.size(), 1 + random.below(3));
    for (std::size_t i = 0; i < extra; ++i) {
      const std::size_t at = random.below(behind.size());
      front.push_back(behind[at]);
      behind.erase(behind.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  std::vector<SuspectId> order = std::move(front);
  order.insert(order.end(), question.begin(), question.end());
  order.insert(order.end(), cleared.begin(), cleared.end());
  order.insert(order.end(), behind.begin(), behind.end());
  return order;
}

}  // namespace bisectd::strategies
