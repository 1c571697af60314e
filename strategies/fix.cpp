// Branch and bound over the causes: the first one that is not hit yet gives the branches.
#include "strategies/fix.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace bisectd::strategies {
namespace {

// Partial sets looked at. The first one that is whole is the greedy fix; a search of the causes that games had ends long
// before.
constexpr std::size_t kMostPartial = 10'000;

using Members = std::vector<SuspectId>;

struct Fix {
  double price = 0;
  Members members;

  bool operator<(const Fix& other) const {
    return std::pair(price, members.size()) < std::pair(other.price, other.members.size());
  }
};

/// How many of `chosen` are in the cause.
std::ptrdiff_t hits(const Members& chosen, const Members& cause) {
  return std::ranges::count_if(cause, [&](SuspectId s) { return std::ranges::find(chosen, s) != chosen.end(); });
}

/// Of a set that hits every cause: whether this member alone hits one.
bool is_needed(SuspectId member, const Members& fix, std::span<const Members> causes) {
  return std::ranges::any_of(
      causes, [&](const Members& cause) { return hits(fix, cause) == 1 && std::ranges::count(cause, member) > 0; });
}

}  // namespace

std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects) {
  const std::vector<Members> fixes = minimal_fixes(causes, suspects, 1);
  return fixes.empty() ? Members{} : fixes.front();
}

std::vector<std::vector<SuspectId>> minimal_fixes(std::span<const std::vector<SuspectId>> causes,
                                                  std::span<const Suspect> suspects, std::size_t most) {
  std::vector<Fix> best;  // of equal ones those that are met first
  Fix chosen;             // being built
  Members whole;          // the last one that hit all causes
  std::size_t seen = 0;
  const auto is_minimal = [&](const Members& fix) {
    return std::ranges::all_of(fix, [&](SuspectId member) { return is_needed(member, fix, causes); });
  };
  const std::function<void()> extend = [&] {
    if (seen++ >= kMostPartial || (best.size() == most && !(chosen < best.back()))) return;
    const auto open = std::ranges::find_if(causes, [&](const Members& cause) { return hits(chosen.members, cause) == 0; });
    if (open == causes.end()) {
      whole = chosen.members;
      Fix fix = chosen;
      std::ranges::sort(fix.members);
      if (!is_minimal(whole) || std::ranges::count(best, fix.members, &Fix::members) > 0) return;
      best.insert(std::ranges::upper_bound(best, fix, std::less<>()), std::move(fix));
      if (best.size() > most) best.pop_back();
      return;
    }
    Members branches = *open;
    std::ranges::stable_sort(branches, {}, [&](SuspectId s) { return suspects[s].price; });
    for (SuspectId suspect : branches) {
      const double before = chosen.price;
      chosen.price += suspects[suspect].price;
      chosen.members.push_back(suspect);
      extend();
      chosen.members.pop_back();
      chosen.price = before;
    }
  };
  extend();
  std::vector<Members> fixes;
  for (Fix& fix : best) fixes.push_back(std::move(fix.members));
  for (std::size_t i = whole.size(); i-- > 0 && best.empty();)
    if (!is_needed(whole[i], whole, causes)) whole.erase(whole.begin() + static_cast<std::ptrdiff_t>(i));
  std::ranges::sort(whole);
  if (best.empty() && !whole.empty()) fixes.push_back(std::move(whole));
  return fixes;
}

}  // namespace bisectd::strategies
