#include "strategies/signatures/belief.hpp"

#include <algorithm>

#include "strategies/prior.hpp"
#include "strategies/signatures/halving.hpp"

namespace bisectd::strategies::signatures {

Belief::Belief(const Problem& problem, const Active& always_active, const EvidenceLog& log)
    : log_(log),
      always_active_(always_active),
      explainer_(believed_odds(problem.suspects, always_active)),
      rows_(always_active.size()) {}

bool Belief::take_in() {
  const std::size_t before = rows_.size();
  for (; heard_ < log_.told().size(); ++heard_) {
    const Told& told = log_.told()[heard_];
    if (told.evidence.signature.empty() || !always_active_.is_subset_of(told.active)) continue;
    rows_.add(told.active - always_active_, told.evidence.signature);
  }
  return rows_.size() > before;
}

bool Belief::explain(const SuspectSet& off) {
  const std::vector<double> whole = log_.signature_of(Active(~off));
  if (whole.size() != rows_.steps() || !differs_clearly(whole)) return false;
  causes_ = explainer_.explain(rows_, whole);
  return true;
}

std::vector<Active> Belief::splits(std::size_t count, std::span<const Neutralised> running, const SuspectSet& off,
                                   Random random) const {
  std::vector<SuspectSet> known, batch;
  std::vector<Active> splits;
  for (std::size_t row = 0; row < rows_.size(); ++row) known.push_back(rows_.active(row));
  for (const LogEntry& entry : log_.entries()) known.push_back(entry.active - always_active_);
  for (const Neutralised& set : running) batch.push_back(active_beside(set) - always_active_);
  SuspectSet quiet = always_active_;  // what is certain needs no split, and only hides smaller causes where it is active
  for (const Cause& cause : causes_)
    for (SuspectId member : cause.likeliest().members) quiet.set(member, cause.certain() || quiet.test(member));
  split(causes_, quiet, running.size() + count, known, batch, random);
  for (std::size_t i = running.size(); i < batch.size(); ++i) {
    Active active((batch[i] | always_active_) - off);
    if (!std::ranges::count(log_.told(), active, &Told::active)) splits.push_back(std::move(active));
  }
  return splits;
}

}  // namespace bisectd::strategies::signatures
