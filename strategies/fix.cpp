// Branch and bound over the causes: the first one that is not hit yet gives the branches, disjoint open ones the bound.
#include "strategies/fix.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>

namespace bisectd::strategies {
namespace {

// Partial sets looked at. The first one that is whole is the greedy fix; a search of the causes that games had ends long
// before.
constexpr std::size_t kMostPartial = 10'000;

/// How many of `chosen` are in the cause.
std::ptrdiff_t hits(const std::vector<SuspectId>& chosen, const std::vector<SuspectId>& cause) {
  return std::ranges::count_if(cause, [&](SuspectId s) { return std::ranges::find(chosen, s) != chosen.end(); });
}

/// Of a set that hits every cause: whether this member alone hits one.
bool is_needed(SuspectId member, const std::vector<SuspectId>& fix, std::span<const std::vector<SuspectId>> causes) {
  return std::ranges::any_of(
      causes, [&](const auto& cause) { return hits(fix, cause) == 1 && std::ranges::count(cause, member) > 0; });
}

/// The first `most` fixes by rank; of equal ones those that are met first.
class Branches {
 public:
  Branches(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects, std::size_t most)
      : causes_(causes), suspects_(suspects), most_(most) {}

  std::vector<std::vector<SuspectId>> best() {
    extend({});
    std::vector<std::vector<SuspectId>> fixes;
    for (Fix& fix : best_) fixes.push_back(std::move(fix.members));
    if (fixes.empty() && !whole_.empty()) fixes.push_back(without_needless(whole_));
    return fixes;
  }

 private:
  struct Rank {
    double price = 0;
    std::size_t members = 0;
    auto operator<=>(const Rank&) const = default;
  };
  struct Fix {
    Rank rank;
    std::vector<SuspectId> members;  // ascending
  };

  /// What a set comes to that has this rank now, at least: open causes that share no member need one more each.
  Rank at_least(Rank rank) const {
    std::vector<SuspectId> met = chosen_;  // by the causes that were counted
    for (const std::vector<SuspectId>& cause : causes_) {
      if (cause.empty() || hits(met, cause) > 0) continue;
      rank.price += suspects_[std::ranges::min(cause, {}, [&](SuspectId s) { return suspects_[s].price; })].price;
      ++rank.members;
      met.insert(met.end(), cause.begin(), cause.end());
    }
    return rank;
  }

  void extend(Rank rank) {
    if (seen_++ >= kMostPartial || (bound_ && at_least(rank) >= *bound_)) return;
    const auto open = std::ranges::find_if(causes_, [&](const auto& cause) { return hits(chosen_, cause) == 0; });
    if (open == causes_.end()) return take(rank);
    std::vector<SuspectId> branches = *open;
    std::ranges::stable_sort(branches, {}, [&](SuspectId s) { return suspects_[s].price; });
    for (SuspectId suspect : branches) {
      chosen_.push_back(suspect);
      extend({rank.price + suspects_[suspect].price, rank.members + 1});
      chosen_.pop_back();
    }
  }

  void take(Rank rank) {
    whole_ = chosen_;
    if (most_ == 1) bound_ = rank;  // needless members or not: a minimal part of it costs no more
    if (!std::ranges::all_of(chosen_, [&](SuspectId member) { return is_needed(member, chosen_, causes_); })) return;
    std::vector<SuspectId> members = chosen_;
    std::ranges::sort(members);
    if (std::ranges::count(best_, members, &Fix::members) > 0) return;
    best_.insert(std::ranges::upper_bound(best_, rank, {}, &Fix::rank), {rank, std::move(members)});
    if (best_.size() > most_) best_.pop_back();
    if (best_.size() == most_) bound_ = best_.back().rank;
  }

  std::vector<SuspectId> without_needless(std::vector<SuspectId> fix) const {
    for (std::size_t i = fix.size(); i-- > 0;)
      if (!is_needed(fix[i], fix, causes_)) fix.erase(fix.begin() + static_cast<std::ptrdiff_t>(i));
    std::ranges::sort(fix);
    return fix;
  }

  std::span<const std::vector<SuspectId>> causes_;
  std::span<const Suspect> suspects_;
  std::size_t most_, seen_ = 0;
  std::vector<SuspectId> chosen_, whole_;  // being built; the last one that hit all causes
  std::vector<Fix> best_;
  std::optional<Rank> bound_;  // that another fix must be below
};

}  // namespace

std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects) {
  const std::vector<std::vector<SuspectId>> fixes = Branches(causes, suspects, 1).best();
  return fixes.empty() ? std::vector<SuspectId>{} : fixes.front();
}

std::vector<std::vector<SuspectId>> minimal_fixes(std::span<const std::vector<SuspectId>> causes,
                                                  std::span<const Suspect> suspects, std::size_t most) {
  return Branches(causes, suspects, most).best();
}

}  // namespace bisectd::strategies
