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

// The difference at the horizon is not the one at the end: it decides pass or fail, its size says nothing more. A signature
// is what it is, however long the run was.
JudgedRun judged_run(const PastTrial& trial, double target) {
  const judge::Judgement& judgement = *trial.judgement;
  if (trial.role == Role::signature && judgement.verdict != Verdict::unresolved)
    return {.evidence = {.neutralised = trial.neutralised,
                         .verdict = Verdict::inconclusive,
                         .signature = judgement.signature,
                         .judged = false},
            .role = trial.role};
  // A run that was certain to fail is certain whatever its later steps would have been.
  const bool ended_early = !trial.attempts.empty() && trial.attempts.back().ending == Ending::ended_early;
  const bool shortened = trial.shortened && !ended_early;
  const strategies::Size size = judgement.beside_as_is.value_or(strategies::Size{judgement.delta, judgement.standard_error});
  const bool sized = !shortened && says_the_size(judgement, size.delta, target);
  // What its own part says is a size also where the part of the subject as it is, by which sizes are compared, says none.
  const bool sized_by_itself = !shortened && judgement.beside_as_is && says_the_size(judgement, judgement.delta, target);
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
      .shortened = shortened && trial.role != Role::signature,
      .strict = judgement.strict};
}

Inquiry::Inquiry(strategies::Problem problem, strategies::EngineKind engine, Scope scope)
    : size_(problem.suspects.size()),
      scope_(std::move(scope)),
      problem_(narrowed(std::move(problem), scope_)),
      engine_(engine),
      search_(problem_, engine_),
      whole_(size_, problem_.flip_probability, 1 - problem_.confidence),
      refused_(size_) {}

void Inquiry::tell(strategies::Evidence evidence) {
  evidence.neutralised = narrowed(evidence.neutralised, scope_);
  search_.tell(evidence);
}

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

bool Inquiry::learn(JudgedRun newest) {
  if (newest.role == Role::other_fix && search_.answer().state == strategies::State::proved) before_other_fix_ = answer();
  if (newest.shortened && reopened_) return false;
  const JudgedRun& told = told_.emplace_back(std::move(newest));
  if (!told.evidence.judged) {
    tell(told.evidence);
    return false;
  }
  if (told.shortened) shortened_.push_back(told.evidence);
  else whole_.tell(told.evidence);
  if (told.shortened || reopened_ || !contradicts_shortened(told.evidence)) {
    tell(told.evidence);
    return false;
  }
  reopened_ = true;
  std::erase_if(told_, [](const JudgedRun& each) { return each.shortened; });
  shortened_.clear();
  search_ = strategies::Search(problem_, engine_);
  for (const JudgedRun& each : told_) tell(each.evidence);
  return true;
}

void Inquiry::learn_refused(const std::vector<strategies::SuspectId>& members) {
  for (const strategies::SuspectId member : members) {
    if (refused_.test_set(member)) continue;  // several trials can name the same one
    Neutralised alone{SuspectSet(size_)};
    alone.set(member);
    learn({.evidence = {.neutralised = std::move(alone), .verdict = Verdict::unresolved}, .role = Role::runnable});
  }
}

bool Inquiry::retell(const History& history, int number, double target) {
  bool contradicts = false;
  for (const std::size_t index : history.order_judged) {
    const PastTrial& trial = history.trials[index];
    if (trial.search != number || trial.failed) continue;  // failed: its session ended by it, it runs again
    contradicts |= learn(judged_run(trial, target));
    learn_refused(trial.refused);
    // What signatures told is weighed by each look at the answer, and a search may give them up at one.
    if (trial.role == Role::signature) (void)search_.answer();
  }
  return contradicts;
}

void Inquiry::choose(const std::vector<strategies::SuspectId>& fix) {
  chosen_.clear();
  for (const strategies::SuspectId id : fix)
    chosen_.push_back(static_cast<strategies::SuspectId>(std::ranges::lower_bound(scope_, id) - scope_.begin()));
}

strategies::Answer Inquiry::answer() const {
  return widened(chosen_.empty() ? search_.answer() : search_.answer_with(chosen_), scope_, size_);
}

// Neutralising more never makes a run worse: a whole run that fails shows that none neutralised less passes, and one that
// passes that none neutralised further fails. What stays active because neutralising it may do harm is the exception; which
// that is, is asked last: an answer costs far more than all the comparisons.
bool Inquiry::contradicts_shortened(const strategies::Evidence& whole) const {
  const auto is_left_active = [&](const Neutralised& neutralised) {
    return std::ranges::any_of(search_.answer().excluded,
                               [&](const strategies::SuspectId suspect) { return neutralised.test(suspect); });
  };
  return std::ranges::any_of(shortened_, [&](const strategies::Evidence& other) {
    const bool contradicts = (whole.verdict == Verdict::fail && other.verdict == Verdict::pass &&
                              other.neutralised.is_subset_of(whole.neutralised)) ||
                             (whole.verdict == Verdict::pass && other.verdict == Verdict::fail &&
                              whole.neutralised.is_subset_of(other.neutralised));
    return contradicts && !is_left_active(other.neutralised);
  });
}

std::vector<Neutralised> Inquiry::unproved() const {
  std::vector<Neutralised> sets;
  const strategies::Answer now = answer();
  for (const strategies::Claim& claim : now.certificate) {
    const bool is_fix = claim.kind == strategies::Claim::Kind::fix_passes;
    const bool is_needed = is_fix || (claim.kind == strategies::Claim::Kind::member_needed && claim.own_trial);
    if (!claim.proved && !is_needed) continue;  // each trial that could show it says nothing
    const bool seen = std::ranges::any_of(told_, [&](const JudgedRun& told) {
      return told.evidence.neutralised == claim.neutralised && told.evidence.verdict == claim.expected && !told.shortened &&
             (!is_fix || told.strict || told.role == Role::proof);
    });
    const strategies::LogEntry* votes = whole_.exact() ? nullptr : whole_.find(active_beside(claim.neutralised));
    const bool carried = votes && votes->verdict == claim.expected;
    if (!(claim.proved && (seen || carried)) && std::ranges::find(sets, claim.neutralised) == sets.end())
      sets.push_back(claim.neutralised);
  }
  return sets;
}

std::optional<strategies::Hidden> Inquiry::hidden_proof() const {
  if (whole_.exact()) return std::nullopt;
  for (const Neutralised& set : unproved())
    if (const strategies::LogEntry* entry = whole_.find(active_beside(set))) return strategies::hidden_in(whole_, *entry);
  return std::nullopt;
}

std::ptrdiff_t Inquiry::proofs_of(const Neutralised& neutralised) const {
  return std::ranges::count_if(
      told_, [&](const JudgedRun& told) { return told.role == Role::proof && told.evidence.neutralised == neutralised; });
}

}  // namespace bisectd::driver
