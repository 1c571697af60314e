#include "driver/loop/findings.hpp"

#include <algorithm>

namespace bisectd::driver {

using strategies::SuspectSet;
using strategies::Verdict;

void journal_findings(Run& run, const FinishedTrial& finished) {
  if (finished.plan.search == 0) return;
  const neutralise::Catalogue& catalogue = run.state.catalogue;
  for (const AttemptOutcome& attempt : finished.attempts) {
    const SuspectSet seen = run.input.watch.shown_off(catalogue, finished.plan.neutralised, run.state.as_is_names,
                                                      {attempt.names, can_be_judged(attempt)});
    const auto reasons = run.input.watch.reasons(attempt.names);
    auto still_on = run.state.history.still_on;
    for (strategies::SuspectId id = 0; id < catalogue.size(); ++id)
      if (const auto why = reasons.find(catalogue.label(id)); why != reasons.end() && finished.plan.neutralised.test(id))
        still_on.insert(*why);
    if (!seen.is_subset_of(run.state.history.effect_seen) || still_on != run.state.history.still_on)
      run.journal.write(effect_record(run.state.history.effect_seen | seen, still_on));
  }
  const auto members = refused_in(run, finished);
  if (members.empty()) return;
  std::map<std::string, std::string> reasons;
  for (const AttemptOutcome& attempt : finished.attempts) reasons.merge(run.input.watch.reasons(attempt.names));
  std::vector<std::string> of_members;
  for (const strategies::SuspectId id : members) of_members.push_back(reasons[catalogue.label(id)]);
  run.journal.write(refused_record(finished.plan.number, members, of_members));
}

std::vector<strategies::SuspectId> refused_in(const Run& run, const FinishedTrial& finished) {
  std::vector<strategies::SuspectId> members;
  if (finished.judgement.verdict != Verdict::unresolved) return members;
  for (const AttemptOutcome& attempt : finished.attempts)
    for (const strategies::SuspectId id : run.input.watch.refused(run.state.catalogue, attempt.names))
      if (finished.plan.neutralised.test(id) && !std::ranges::count(members, id)) members.push_back(id);
  return members;
}

std::map<strategies::SuspectId, std::string> without_effect(const Run& run) {
  SuspectSet neutralised(run.state.catalogue.size());
  for (const PastTrial& trial : run.state.history.trials)
    if (trial.search != 0 && trial.judgement && trial.judgement->verdict != Verdict::unresolved)
      neutralised |= trial.neutralised;
  neutralised = (neutralised & run.input.watch.shows_effect(run.state.catalogue)) - run.state.history.effect_seen;
  std::map<strategies::SuspectId, std::string> silent;
  for (auto id = neutralised.find_first(); id != SuspectSet::npos; id = neutralised.find_next(id)) {
    const auto why = run.state.history.still_on.find(run.state.catalogue.label(id));
    silent[id] = why == run.state.history.still_on.end() ? "" : why->second;
  }
  return silent;
}

std::vector<std::string> notes_without_effect(const Run& run, const FinishedTrial& finished) {
  const AttemptOutcome& attempt = finished.attempts.back();
  const strategies::Neutralised& off = finished.plan.neutralised;
  SeenNames nothing;
  nothing.in_log.resize(attempt.names.in_log.size());
  nothing.in_files.resize(attempt.names.in_files.size());
  const auto silent = (off & run.input.watch.shows_effect(run.state.catalogue)) -
                      run.input.watch.shown_off(run.state.catalogue, off, nothing, {attempt.names, can_be_judged(attempt)});
  if (!silent.any() || !can_be_judged(attempt)) return {};
  return {"no trace that this is off: " + run.state.catalogue.labels(silent, silent.count())};
}

}  // namespace bisectd::driver
