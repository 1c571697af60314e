// Branch and bound over the causes: the first one that is not hit yet gives the branches.
#include "strategies/fix.hpp"

#include <algorithm>
#include <limits>

namespace bisectd::strategies {
namespace {

constexpr std::size_t kExactCauses = 12;

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
  bool hit(const std::vector<SuspectId>& cause) const {
    return std::any_of(cause.begin(), cause.end(),
                       [&](SuspectId s) { return std::find(chosen_.begin(), chosen_.end(), s) != chosen_.end(); });
  }

  void extend(double price) {
    if (price > best_price_ || (price == best_price_ && chosen_.size() >= best_.size())) return;
    const auto open = std::find_if(causes_.begin(), causes_.end(), [&](const auto& cause) { return !hit(cause); });
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
  std::vector<std::vector<SuspectId>> mended_by;
  for (const std::vector<SuspectId>& cause : causes) {
    mended_by.push_back(cause);
    for (SuspectId needed : relations.with_needs(cause))
      if (std::find(cause.begin(), cause.end(), needed) == cause.end()) mended_by.back().push_back(needed);
    std::erase_if(mended_by.back(), [&](SuspectId suspect) { return always_active.test(suspect); });
  }
  return cheapest_fix(mended_by, suspects);
}

}  // namespace bisectd::strategies
