#include "driver/loop/inquiry.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::driver {

using strategies::Neutralised;
using strategies::SuspectSet;
using strategies::Verdict;

// Where another metric decided, or spikes, or a run failed on its way, the difference of the first metric's level is but
// rounding: compared with that of other trials it would tell effects that are none.
bool says_the_size(const judge::Judgement& judgement, std::optional<double> delta, double target) {
  if (judgement.decided_by) return false;
  const bool by_level = judgement.reason == "level";
  return judgement.verdict != Verdict::fail || (by_level && std::abs(delta.value_or(0)) > target);
}

JudgedRun judged_run(const PastTrial& trial, double target) {
  const judge::Judgement& judgement = *trial.judgement;
  if (trial.role == Role::signature && judgement.verdict != Verdict::unresolved)
    return {.evidence = {.neutralised = trial.neutralised,
                         .verdict = Verdict::inconclusive,
                         .signature = judgement.signature,
                         .judged = false},
            .role = trial.role};
  const strategies::Size size = judgement.beside_as_is.value_or(strategies::Size{judgement.delta, judgement.standard_error});
  const bool sized = says_the_size(judgement, size.delta, target);
  // What its own part says is a size also where the part of the subject as it is, by which sizes are compared, says none.
  const bool sized_by_itself = judgement.beside_as_is && says_the_size(judgement, judgement.delta, target);
  return {
      .evidence = {.neutralised = trial.neutralised,
                   .verdict = judgement.verdict,
                   .p_bad = judgement.p_bad,
                   .delta = sized ? size.delta : std::nullopt,
                   .standard_error = sized ? size.standard_error : std::nullopt,
                   .signature = judgement.signature,
                   .by_verdict = sized_by_itself ? std::optional(strategies::Size{judgement.delta, judgement.standard_error})
                                                 : std::nullopt},
      .role = trial.role,
      .strict = judgement.strict};
}

Inquiry::Inquiry(strategies::Problem problem, strategies::EngineKind engine, Scope scope)
    : size_(problem.suspects.size()),
      scope_(std::move(scope)),
      search_(narrowed(problem, scope_), engine),
      seen_(size_, problem.flip_probability, 1 - problem.confidence),
      refused_(size_) {}

std::vector<strategies::Trial> Inquiry::ask(std::size_t slots, std::span<const Neutralised> pending) {
  std::vector<Neutralised> ours;
  for (const Neutralised& set : pending) ours.push_back(narrowed(set, scope_));
  std::vector<strategies::Trial> trials = search_.ask(slots, ours);
  for (strategies::Trial& trial : trials) {
    trial.neutralised = widened(trial.neutralised, scope_, size_);
    trial.reason = renumbered(trial.reason, scope_);
  }
  return trials;
}

void Inquiry::learn(JudgedRun newest) {
  if (newest.role == Role::other_fix && search_.answer().state == strategies::State::proved) before_other_fix_ = answer();
  strategies::Evidence evidence = told_.emplace_back(std::move(newest)).evidence;
  if (evidence.judged) seen_.tell(evidence);
  evidence.neutralised = narrowed(evidence.neutralised, scope_);
  search_.tell(evidence);
}

void Inquiry::learn_refused(const std::vector<strategies::SuspectId>& members) {
  for (const strategies::SuspectId member : members) {
    if (refused_.test_set(member)) continue;  // several trials can name the same one
    Neutralised alone{SuspectSet(size_)};
    alone.set(member);
    learn({.evidence = {.neutralised = std::move(alone), .verdict = Verdict::unresolved}, .role = Role::runnable});
  }
}

void Inquiry::retell(const History& history, int number, double target) {
  for (const std::size_t index : history.order_judged) {
    const PastTrial& trial = history.trials[index];
    if (trial.search != number || trial.failed) continue;  // failed: its session ended by it, it runs again
    learn(judged_run(trial, target));
    learn_refused(trial.refused);
    // What signatures told is weighed by each look at the answer, and a search may give them up at one.
    if (trial.role == Role::signature) (void)search_.answer();
  }
}

void Inquiry::choose(const std::vector<strategies::SuspectId>& fix) {
  chosen_.clear();
  for (const strategies::SuspectId id : fix)
    chosen_.push_back(static_cast<strategies::SuspectId>(std::ranges::lower_bound(scope_, id) - scope_.begin()));
}

strategies::Answer Inquiry::answer() const {
  return widened(chosen_.empty() ? search_.answer() : search_.answer_with(chosen_), scope_, size_);
}

std::vector<Neutralised> Inquiry::unproved() const {
  std::vector<Neutralised> sets;
  const strategies::Answer now = answer();
  for (const strategies::Claim& claim : now.certificate) {
    const bool is_fix = claim.kind == strategies::Claim::Kind::fix_passes;
    const bool is_needed = is_fix || (claim.kind == strategies::Claim::Kind::member_needed && claim.own_trial);
    if (!claim.proved && !is_needed) continue;  // each trial that could show it says nothing
    const bool seen = std::ranges::any_of(told_, [&](const JudgedRun& told) {
      return told.evidence.neutralised == claim.neutralised && told.evidence.verdict == claim.expected &&
             (!is_fix || told.strict || told.role == Role::proof);
    });
    const strategies::LogEntry* votes = is_fix && seen_.exact() ? nullptr : seen_.find(active_beside(claim.neutralised));
    const bool carried = votes && votes->verdict == claim.expected;
    if (!(claim.proved && (seen || carried)) && std::ranges::find(sets, claim.neutralised) == sets.end())
      sets.push_back(claim.neutralised);
  }
  return sets;
}

std::optional<strategies::Hidden> Inquiry::hidden_proof() const {
  if (seen_.exact()) return std::nullopt;
  for (const Neutralised& set : unproved())
    if (const strategies::LogEntry* entry = seen_.find(active_beside(set))) return strategies::hidden_in(seen_, *entry);
  return std::nullopt;
}

std::ptrdiff_t Inquiry::proofs_of(const Neutralised& neutralised) const {
  return std::ranges::count_if(
      told_, [&](const JudgedRun& told) { return told.role == Role::proof && told.evidence.neutralised == neutralised; });
}

}  // namespace bisectd::driver
