#include "strategies/signatures/belief.hpp"

#include <algorithm>

#include "strategies/signatures/halving.hpp"

namespace bisectd::strategies::signatures {

Belief::Belief(const Problem& problem, const Active& always_active, const EvidenceLog& log)
    : log_(log), searched_(always_active), explainer_(searched_.odds(problem)), rows_(searched_.size()) {}

std::size_t Belief::take_in() {
  const std::size_t before = rows_.size();
  for (; heard_ < log_.told().size(); ++heard_) {
    const Told& told = log_.told()[heard_];
    if (told.evidence.signature.empty() || !searched_.is_comparable(told.active)) continue;
    rows_.add(searched_.places(told.active), told.evidence.signature);
  }
  return rows_.size() - before;
}

bool Belief::explain(const SuspectSet& off) {
  const std::vector<double> whole = log_.signature_of(Active(~off));
  if (whole.size() != rows_.steps() || !differs_clearly(whole)) return false;
  causes_by_place_ = explainer_.explain(rows_, whole);
  causes_ = causes_by_place_;
  for (Cause& cause : causes_)
    for (Hypothesis& each : cause.hypotheses)
      for (SuspectId& member : each.members) member = searched_.id(member);
  return true;
}

// What is certain needs no split, and only hides smaller causes where it is active.
SuspectSet Belief::certain() const {
  SuspectSet set(searched_.size());
  for (const Cause& cause : causes_by_place_)
    if (cause.certain())
      for (SuspectId member : cause.likeliest().members) set.set(member);
  return set;
}

std::vector<Active> Belief::splits(std::size_t count, std::span<const Active> running, const SuspectSet& off,
                                   Random random) const {
  std::vector<SuspectSet> known, batch;
  std::vector<Active> splits;
  for (std::size_t row = 0; row < rows_.size(); ++row) known.push_back(rows_.active(row));
  for (const LogEntry& entry : log_.entries()) known.push_back(searched_.places(entry.active));
  for (const Active& active : running) batch.push_back(searched_.places(active));
  split(causes_by_place_, certain(), running.size() + count, known, batch, random);
  for (std::size_t i = running.size(); i < batch.size(); ++i) {
    Active active = Active(searched_.active(batch[i]) - off);
    if (!std::ranges::count(log_.told(), active, &Told::active)) splits.push_back(std::move(active));
  }
  return splits;
}

}  // namespace bisectd::strategies::signatures
