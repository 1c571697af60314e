// Where a search stands, as it follows from the evidence: its phase, and the engines over that evidence, of which each phase
// starts those that it needs. The log outlives them all, so that a revised verdict only means building the engines again
// from it. Knows what was told; not what to ask next (planning.hpp), nor what it amounts to (standing.hpp), nor how to word
// it.
#pragma once

#include <memory>
#include <vector>

#include "strategies/bisection.hpp"
#include "strategies/engine.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/suspect.hpp"
#include "strategies/search.hpp"

namespace bisectd::strategies {

/// Where a search stands; each phase has its own way to choose trials (planning.cpp).
enum class Phase {
  settling,     ///< verdicts contradict each other: asked again before anything builds on them
  both_ends,    ///< the subject as it is must fail, and pass with everything neutralised
  runnable,     ///< with everything neutralised it does not run: which suspects cannot be neutralised?
  in_part,      ///< with everything neutralised it fails: does it pass with a part of it?
  engine_asks,  ///< an engine says what to try, by the causes that it believes in; where it has no question, as the next two
  bisecting,    ///< `ordered` looks for the culprits
  naming,       ///< the culprits are known: which of them fail alone, and do they prove it?
  over,         ///< no phase asks anything; search.cpp may, to test a proof
};

class Phases {
 public:
  Phases(Problem problem, EngineKind engine);
  Phases(const Phases&) = delete;  // the engines refer to the log
  Phases& operator=(const Phases&) = delete;

  /// What it tells the search by signatures is not weighed before weigh(): with many devices many come together, and to find
  /// the causes anew for each of them would take its time from all.
  void tell(const Evidence& evidence);
  /// Weighs what was told since; due before anything below is asked. False if that is nothing.
  bool weigh();

  /// Follows from what was told alone.
  Phase phase() const;

  const Problem& problem() const { return problem_; }
  const EvidenceLog& log() const { return log_; }
  /// Verdicts that no set of causes explains: a failure of what is wrong only while others are neutralised is no part of
  /// one, nor what only makes up for a fault.
  std::optional<Contradiction> contradiction() const;
  std::size_t size() const { return all_.size(); }
  const Active& all_active() const { return all_; }  ///< the subject as it is
  /// With everything neutralised that the problem allows.
  const Active& least_active() const { return least_active_; }
  /// That, and whose neutralising breaks the run.
  const Active& always_active() const { return always_active_; }
  Verdict verdict_of(const Active& active) const;
  /// The subject fails as it is, and even with everything neutralised that can be.
  bool fails_neutralised() const;
  /// It passes, yet mends nothing: with everything neutralised the subject fails, which shows that neutralising does harm,
  /// and this set is still off (effects.hpp). So the harm makes up for the fault.
  bool makes_up(const LogEntry& entry) const;
  /// Null if it was never told.
  const LogEntry* entry_of(const Active& active) const { return log_.find(active); }

  /// The two bisections, once their phase was reached; null before. Neither is an `Engine`: they serve two predicates,
  /// "breaks when these are neutralised" and "fails with these active", and so speak of exposed sets and hits.
  const Bisection* breaking() const { return breaking_.get(); }
  const Bisection* ordered() const { return ordered_.get(); }
  /// In the phase `naming`: one per culprit, then one per failing trial in which none of the causes before is active.
  const std::vector<std::unique_ptr<Bisection>>& cause_searches() const { return cause_searches_; }
  /// What was active in the first failing trial in which none of the causes found is. Nothing where there is no such trial,
  /// with noise, and before all cause searches are complete.
  std::optional<Active> unexplained() const;

  /// The engine that leads: null where it is `ordered`, which is trusted for every monotone predicate. Whoever misfits
  /// hands over; all of them heard the same evidence.
  const Engine* leading_engine() const;
  /// The search by signatures explains them. Else they may hold rounding alone, as of faults that begin later.
  bool signatures_tell() const { return signatures_ && !signatures_->misfit(); }
  /// The answer as the leading engine sees it; null if there is none.
  const Finding* finding() const { return leading_engine() ? &leading_engine()->finding() : nullptr; }
  bool finding_proved() const { return finding() && finding()->proved; }

 private:
  void take_in(const LogEntry& entry);
  bool choose_always_active();
  bool may_pass_neutralised() const;
  void advance();
  void look_for_causes();
  void rebuild();
  void estimate_flip();
  bool wants_causes() const;
  bool wants_signatures() const;
  void hand_over();

  Problem problem_;
  EngineKind kind_;
  Active all_;
  Active least_active_;
  std::vector<double> odds_;
  EvidenceLog log_;
  std::vector<Observation> for_ordered_, for_breaking_;  // the log as seen by the main search and by `breaking`
  const std::vector<double> even_odds_;                  // of `breaking`
  bool handed_over_ = false;                             // what the signatures made likely is in the odds
  bool unweighed_ = false;                               // a signature was told that is not weighed yet
  std::unique_ptr<Bisection> breaking_, ordered_;
  std::unique_ptr<Engine> signatures_, causes_;
  std::vector<std::unique_ptr<Bisection>> cause_searches_;
  Active always_active_;
};

}  // namespace bisectd::strategies
