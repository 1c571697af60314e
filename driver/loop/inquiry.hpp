// The search as the driver leads it: among a part of the suspects, and believed only once runs have shown every claim of its
// answer, the fix without a grey zone. Pure: the same told in the same order gives the same answer, so a journal can be told
// again.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/loop/scope.hpp"
#include "driver/record/history.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/search.hpp"

namespace bisectd::driver {

/// What one judged trial says.
struct JudgedRun {
  strategies::Evidence evidence;
  Role role = Role::search;
  bool strict = false;  ///< holds without a grey zone
};

/// Of one that is judged. A difference that says how large the failure is, by the accepted one (`target`, a fraction), is
/// told; no other one.
JudgedRun judged_run(const PastTrial& trial, double target);

class Inquiry {
 public:
  /// `scope`: the suspects that are searched, ascending; all others stay active. Sets and answers are over all of `problem`.
  Inquiry(strategies::Problem problem, strategies::EngineKind engine, Scope scope);

  /// Takes in one trial.
  void learn(JudgedRun told);
  /// Members that the log of a broken run says cannot be neutralised: as good as a trial of each of them alone.
  void learn_refused(const std::vector<strategies::SuspectId>& members);
  /// Tells it the trials of the search of this number in their order, as they were told then.
  void retell(const History& history, int number, double target);
  /// Makes another minimal fix the culprit set, as long as it mends every cause; an empty one: that of the search again.
  void choose(const std::vector<strategies::SuspectId>& fix);

  strategies::Answer answer() const;
  /// A proved one, before the last trial of another fix was told: that may show a further cause, and the answer stands as
  /// long as that has no name.
  const std::optional<strategies::Answer>& before_other_fix() const { return before_other_fix_; }
  std::string so_far() const { return renumbered(search_.so_far(), scope_); }
  std::vector<strategies::Trial> ask(std::size_t slots, std::span<const strategies::Neutralised> pending);

  /// Claims of the answer that are still to be seen, the fix judged without a grey zone; with noise many undecided runs may
  /// add up to the same. Each set once.
  std::vector<strategies::Neutralised> unproved() const;
  /// What is measured of the first of these; nothing if there is none, or no noise.
  std::optional<strategies::Hidden> hidden_proof() const;
  /// How often a trial for that was told already.
  std::ptrdiff_t proofs_of(const strategies::Neutralised& neutralised) const;

 private:
  std::size_t size_;  // of the whole problem
  Scope scope_;
  strategies::Search search_;     // among the scope only
  strategies::EvidenceLog seen_;  ///< over the whole problem
  std::vector<JudgedRun> told_;   ///< in order
  strategies::SuspectSet refused_;
  std::optional<strategies::Answer> before_other_fix_;
  std::vector<strategies::SuspectId> chosen_;  ///< fix, by its number in the scope
};

}  // namespace bisectd::driver
