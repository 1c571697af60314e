// Needs are followed along one order of the dependents, in which every suspect stands behind what it needs.
#include "strategies/relations.hpp"

#include <algorithm>
#include <stdexcept>

#include "configs/relations.hpp"

namespace bisectd::strategies {
namespace {

// All ways to choose the one of each group that may be neutralised, likely ones first; what stays active is in all of them.
std::vector<Active> least_active_sets_of(const Problem& problem) {
  struct Choice {
    Active active;
    double odds = 1;
  };
  std::vector<Choice> choices{{Active(SuspectSet(problem.suspects.size()))}};
  const auto stays_active = [&](SuspectId suspect) { return problem.suspects.at(suspect).stays_active; };
  for (SuspectId suspect = 0; suspect < problem.suspects.size(); ++suspect)
    if (stays_active(suspect)) choices.front().active.set(suspect);
  for (const std::vector<SuspectId>& group : problem.exclusive) {
    if (std::all_of(group.begin(), group.end(), stays_active)) continue;
    std::vector<Choice> next;
    for (const Choice& choice : choices)
      for (SuspectId chosen : group) {
        if (stays_active(chosen)) continue;
        Choice made = choice;
        for (SuspectId other : group)
          if (other != chosen) made.active.set(other);
        made.odds *= problem.suspects.at(chosen).odds;
        next.push_back(std::move(made));
      }
    std::stable_sort(next.begin(), next.end(), [](const Choice& a, const Choice& b) { return a.odds > b.odds; });
    if (next.size() > configs::kMostChoices) next.resize(configs::kMostChoices);
    choices = std::move(next);
  }
  std::vector<Active> sets;
  for (Choice& choice : choices)
    if (std::find(sets.begin(), sets.end(), choice.active) == sets.end()) sets.push_back(std::move(choice.active));
  return sets;
}

}  // namespace

Relations::Relations(const Problem& problem) : least_active_(least_active_sets_of(problem)) {
  for (const Suspect& suspect : problem.suspects) {
    needs_.push_back(suspect.only_with);
    for (SuspectId needed : suspect.only_with)
      if (needed >= problem.suspects.size()) throw std::invalid_argument("a suspect needs one that does not exist");
  }
  sort_dependents();
}

// Depth first, so that what is needed is listed before.
void Relations::sort_dependents() {
  enum : char { unseen, open, done };
  std::vector<char> mark(needs_.size(), unseen);
  const auto visit = [&](const auto& self, SuspectId suspect) -> void {
    if (mark[suspect] == done) return;
    if (mark[suspect] == open) throw std::invalid_argument("a suspect needs itself");
    mark[suspect] = open;
    for (SuspectId needed : needs_[suspect]) self(self, needed);
    mark[suspect] = done;
    if (!needs_[suspect].empty()) dependents_.push_back(suspect);
  };
  for (SuspectId suspect = 0; suspect < needs_.size(); ++suspect) visit(visit, suspect);
}

SuspectSet Relations::effective(SuspectSet exposed) const {
  for (SuspectId suspect : dependents_)
    for (SuspectId needed : needs_[suspect])
      if (!exposed.test(needed)) exposed.reset(suspect);
  return exposed;
}

Active Relations::widest(const Active& active) const {
  Active wide = effective(active);
  const Active matter = wide;
  for (SuspectId suspect : dependents_)
    for (SuspectId needed : needs_[suspect])
      if (!matter.test(needed)) wide.set(suspect);
  return wide;
}

std::vector<SuspectId> Relations::with_needs(std::span<const SuspectId> members) const {
  std::vector<SuspectId> all(members.begin(), members.end());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (SuspectId needed : needs_[all[i]])
      if (std::find(all.begin(), all.end(), needed) == all.end()) all.push_back(needed);
  std::sort(all.begin(), all.end());
  return all;
}

Active Relations::alone(std::span<const SuspectId> members, const Active& always_active) const {
  Active active = always_active;
  for (SuspectId member : with_needs(members)) active.set(member);
  return effective(std::move(active));
}

std::vector<SuspectId> Relations::outermost(std::span<const SuspectId> members) const {
  std::vector<SuspectId> kept;
  for (SuspectId member : members) {
    const bool implied = std::any_of(members.begin(), members.end(), [&](SuspectId other) {
      if (other == member) return false;
      const std::vector<SuspectId> all = with_needs(std::span(&other, 1));
      return std::binary_search(all.begin(), all.end(), member);
    });
    if (!implied) kept.push_back(member);
  }
  return kept;
}

void Relations::raise_to_needs(std::span<std::uint32_t> rank) const {
  for (SuspectId suspect : dependents_)
    for (SuspectId needed : needs_[suspect]) rank[suspect] = std::max(rank[suspect], rank[needed]);
}

std::vector<SuspectId> Relations::needed_first(std::vector<SuspectId> order) const {
  if (dependents_.empty()) return order;
  std::vector<std::uint32_t> place(needs_.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::uint32_t>(i);
  raise_to_needs(place);
  // Of two at one place the one that needs fewer comes first: it cannot need the other.
  std::stable_sort(order.begin(), order.end(), [&](SuspectId a, SuspectId b) {
    return place[a] != place[b] ? place[a] < place[b]
                                : with_needs(std::span(&a, 1)).size() < with_needs(std::span(&b, 1)).size();
  });
  return order;
}

Relations Relations::among(std::span<const SuspectId> kept) const {
  Relations made;
  made.least_active_.emplace_back(SuspectSet(kept.size()));
  for (SuspectId suspect : kept) {
    std::vector<SuspectId> needs;
    for (SuspectId needed : with_needs(std::span(&suspect, 1)))
      if (const auto at = std::lower_bound(kept.begin(), kept.end(), needed);
          needed != suspect && at != kept.end() && *at == needed)
        needs.push_back(static_cast<SuspectId>(at - kept.begin()));
    made.needs_.push_back(std::move(needs));
  }
  made.sort_dependents();
  return made;
}

}  // namespace bisectd::strategies
