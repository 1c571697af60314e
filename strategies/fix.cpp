// Branch and bound over the causes: the first one that is not hit yet gives the branches, disjoint open ones the bound.
#include "strategies/fix.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace bisectd::strategies {
namespace {

constexpr std::size_t kExactCauses = 12;
constexpr std::size_t kMostPartial = 10'000;  // sets looked at for further fixes

/// How many of `chosen` are in the cause.
std::ptrdiff_t hits(const std::vector<SuspectId>& chosen, const std::vector<SuspectId>& cause) {
  return std::ranges::count_if(cause, [&](SuspectId s) { return std::ranges::find(chosen, s) != chosen.end(); });
}

class Branches {
 public:
  Branches(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects)
      : causes_(causes), suspects_(suspects) {}

  std::vector<SuspectId> best(bool exact) {
    exact_ = exact;
    extend(0.0);
    return best_;
  }

 private:
  /// What is still to be chosen comes to this at least: open causes that share no member need one each.
  struct Rest {
    double price = 0;
    std::size_t members = 0;
  };
  Rest rest() const {
    Rest rest;
    std::vector<SuspectId> met = chosen_;  // by the causes that were counted
    for (const std::vector<SuspectId>& cause : causes_) {
      if (cause.empty() || hits(met, cause) > 0) continue;
      double least = suspects_[cause.front()].price;
      for (SuspectId member : cause) least = std::min(least, suspects_[member].price);
      rest.price += least;
      ++rest.members;
      met.insert(met.end(), cause.begin(), cause.end());
    }
    return rest;
  }

  void extend(double price) {
    const Rest left = rest();
    const double least = price + left.price;
    if (least > best_price_ || (least == best_price_ && chosen_.size() + left.members >= best_.size())) return;
    const auto open =
        std::find_if(causes_.begin(), causes_.end(), [&](const auto& cause) { return hits(chosen_, cause) == 0; });
    if (open == causes_.end()) {
      best_ = chosen_;
      best_price_ = price;
      return;
    }
    std::vector<SuspectId> branches = *open;
    std::stable_sort(branches.begin(), branches.end(),
                     [&](SuspectId a, SuspectId b) { return suspects_[a].price < suspects_[b].price; });
    if (!exact_) branches.resize(1);
    for (SuspectId suspect : branches) {
      chosen_.push_back(suspect);
      extend(price + suspects_[suspect].price);
      chosen_.pop_back();
    }
  }

  std::span<const std::vector<SuspectId>> causes_;
  std::span<const Suspect> suspects_;
  std::vector<SuspectId> chosen_, best_;
  double best_price_ = std::numeric_limits<double>::infinity();
  bool exact_ = true;
};

/// Of a set that hits every cause: whether each member alone hits one.
bool is_minimal(const std::vector<SuspectId>& fix, std::span<const std::vector<SuspectId>> causes) {
  return std::ranges::all_of(fix, [&](SuspectId member) {
    return std::ranges::any_of(
        causes, [&](const auto& cause) { return hits(fix, cause) == 1 && std::ranges::find(cause, member) != cause.end(); });
  });
}

std::vector<std::vector<SuspectId>> mended_by(std::span<const std::vector<SuspectId>> causes, const Relations& relations,
                                              const SuspectSet& always_active) {
  std::vector<std::vector<SuspectId>> mended;
  for (const std::vector<SuspectId>& cause : causes) {
    mended.push_back(cause);
    for (SuspectId needed : relations.with_needs(cause))
      if (std::find(cause.begin(), cause.end(), needed) == cause.end()) mended.back().push_back(needed);
    std::erase_if(mended.back(), [&](SuspectId suspect) { return always_active.test(suspect); });
  }
  return mended;
}

}  // namespace

std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects) {
  const auto several = std::count_if(causes.begin(), causes.end(), [](const auto& cause) { return cause.size() > 1; });
  std::vector<SuspectId> fix = Branches(causes, suspects).best(static_cast<std::size_t>(several) <= kExactCauses);
  // A greedy fix may hold a member that later ones made needless.
  for (std::size_t i = fix.size(); i-- > 0;) {
    const bool needed = std::any_of(causes.begin(), causes.end(), [&](const auto& cause) {
      return std::count_if(cause.begin(), cause.end(), [&](SuspectId s) {
               return s != fix[i] && std::find(fix.begin(), fix.end(), s) != fix.end();
             }) == 0;
    });
    if (!needed) fix.erase(fix.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::sort(fix.begin(), fix.end());
  return fix;
}

// A cause's own members come first, so that of two equal fixes the one that names the guilty is taken.
std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects,
                                    const Relations& relations, const SuspectSet& always_active) {
  return cheapest_fix(mended_by(causes, relations, always_active), suspects);
}

// Uniform-cost search: partial sets leave the queue in the order of their price, so whole ones come out cheapest first.
std::vector<std::vector<SuspectId>> minimal_fixes(std::span<const std::vector<SuspectId>> causes,
                                                  std::span<const Suspect> suspects, const Relations& relations,
                                                  const SuspectSet& always_active, std::size_t most) {
  const std::vector<std::vector<SuspectId>> to_break = mended_by(causes, relations, always_active);
  using Partial = std::pair<double, std::vector<SuspectId>>;  // price, ascending
  std::set<Partial> queue{{0.0, {}}};
  std::vector<std::vector<SuspectId>> fixes;
  for (std::size_t seen = 0; !queue.empty() && seen < kMostPartial && fixes.size() < most; ++seen) {
    const auto [price, chosen] = queue.extract(queue.begin()).value();
    const auto open = std::ranges::find_if(to_break, [&](const auto& cause) { return hits(chosen, cause) == 0; });
    if (open == to_break.end()) {
      if (is_minimal(chosen, to_break) && !std::ranges::count(fixes, chosen)) fixes.push_back(chosen);
      continue;
    }
    for (const SuspectId suspect : *open) {
      std::vector<SuspectId> more = chosen;
      more.insert(std::ranges::lower_bound(more, suspect), suspect);
      queue.emplace(price + suspects[suspect].price, std::move(more));
    }
  }
  return fixes;
}

}  // namespace bisectd::strategies
