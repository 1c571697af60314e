#include "strategies/signatures/belief.hpp"

#include <algorithm>

#include "strategies/prior.hpp"
#include "strategies/signatures/halving.hpp"

namespace bisectd::strategies::signatures {

Belief::Belief(const Problem& problem, const Relations& relations, const Active& always_active, const EvidenceLog& log)
    : relations_(relations),
      always_active_(always_active),
      log_(log),
      suspects_(members_of(neutralised_beside(always_active))),
      local_relations_(relations.among(suspects_)),
      explainer_(believed_odds(problem.suspects, suspects_)),
      rows_(suspects_.size()) {}

SuspectSet Belief::local(const Active& active) const {
  SuspectSet set(suspects_.size());
  for (std::size_t i = 0; i < suspects_.size(); ++i)
    if (active.test(suspects_[i])) set.set(i);
  return set;
}

Active Belief::global(const SuspectSet& set) const {
  Active active = always_active_;
  for (std::size_t i : members_of(set)) active.set(suspects_[i]);
  return active;
}

// A signature is only comparable where the always active suspects were active, too.
bool Belief::take_in() {
  const std::size_t before = rows_.size();
  for (; heard_ < log_.told().size(); ++heard_) {
    const Told& told = log_.told()[heard_];
    if (told.evidence.signature.empty() || !always_active_.is_subset_of(relations_.widest(told.active))) continue;
    rows_.add(local(told.active), told.evidence.signature);
  }
  return rows_.size() > before;
}

bool Belief::explain(const SuspectSet& off) {
  const std::vector<double> whole = log_.signature_of(relations_.effective(Active(~off)));
  if (whole.size() != rows_.steps() || !differs_clearly(whole)) return false;
  local_causes_ = explainer_.explain(rows_, whole);
  causes_ = local_causes_;
  for (Cause& cause : causes_)
    for (Hypothesis& each : cause.hypotheses)
      for (SuspectId& member : each.members) member = suspects_[member];
  return true;
}

// What is certain needs no split, and only hides smaller causes where it is active.
SuspectSet Belief::certain() const {
  SuspectSet set(suspects_.size());
  for (const Cause& cause : local_causes_)
    if (cause.certain())
      for (SuspectId member : cause.likeliest().members) set.set(member);
  return set;
}

std::vector<Active> Belief::splits(std::size_t count, std::span<const Active> running, const SuspectSet& off,
                                   Random random) const {
  std::vector<SuspectSet> known, batch;
  std::vector<Active> splits;
  for (std::size_t row = 0; row < rows_.size(); ++row) known.push_back(rows_.active(row));
  for (const LogEntry& entry : log_.entries()) known.push_back(local(entry.active));
  for (const Active& active : running) batch.push_back(local(active));
  split(local_causes_, local_relations_, certain(), running.size() + count, known, batch, random);
  for (std::size_t i = running.size(); i < batch.size(); ++i) {
    Active active = relations_.effective(Active(global(batch[i]) - off));
    if (!std::ranges::count(log_.told(), active, &Told::active)) splits.push_back(std::move(active));
  }
  return splits;
}

}  // namespace bisectd::strategies::signatures
