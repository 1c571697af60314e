// The search as the driver leads it: told by whole runs and by shortened ones, begun again when a whole run shows what the
// shortened ones could not, and believed only once runs at full length have shown every claim of its answer. Pure: the
// same told in the same order gives the same answer, so a journal can be told again.
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
  bool shortened = false;  ///< seen up to the learnt horizon only
  bool strict = false;     ///< holds without a grey zone
};

/// Of one that is judged. A difference that says how large the failure is, by the accepted one (`target`, a fraction), is
/// told; no other one.
JudgedRun judged_run(const PastTrial& trial, double target);

class Inquiry {
 public:
  /// `scope`: the suspects that are searched, ascending; all others stay active. Sets and answers are over all of `problem`.
  Inquiry(strategies::Problem problem, strategies::EngineKind engine, Scope scope);

  /// Takes in one trial. True if it contradicts shortened ones: then these are forgotten, and no later one is heard.
  bool learn(JudgedRun told);
  /// Members that the log of a broken run says cannot be neutralised: as good as a trial of each of them alone.
  void learn_refused(const std::vector<strategies::SuspectId>& members);
  /// Tells it the trials of the search of this number in their order, as they were told then. True as for learn().
  bool retell(const History& history, int number, double target);
  /// Makes another minimal fix the culprit set, as long as it mends every cause; an empty one: that of the search again.
  void choose(const std::vector<strategies::SuspectId>& fix);

  strategies::Answer answer() const;
  /// A proved one, before the last trial of another fix was told: that may show a further cause, and the answer stands as
  /// long as that has no name.
  const std::optional<strategies::Answer>& before_other_fix() const { return before_other_fix_; }
  std::string so_far() const { return renumbered(search_.so_far(), scope_); }
  std::vector<strategies::Trial> ask(std::size_t slots, std::span<const strategies::Neutralised> pending);

  /// Claims of the answer that are still to be seen: the fix judged without a grey zone, all others at full
  /// length; with noise many undecided runs at full length may add up to the same. Each set once.
  std::vector<strategies::Neutralised> unproved() const;
  /// What is measured of the first of these, at full length; nothing if there is none, or no noise.
  std::optional<strategies::Hidden> hidden_proof() const;
  /// How often a trial for that was told already.
  std::ptrdiff_t proofs_of(const strategies::Neutralised& neutralised) const;

 private:
  bool contradicts_shortened(const strategies::Evidence& whole) const;
  void tell(strategies::Evidence evidence);

  std::size_t size_;  // of the whole problem
  Scope scope_;
  strategies::Problem problem_;  // among the scope only
  strategies::EngineKind engine_;
  strategies::Search search_;
  strategies::EvidenceLog whole_;                ///< runs at full length
  std::vector<JudgedRun> told_;                  ///< in order, without what was forgotten
  std::vector<strategies::Evidence> shortened_;  ///< of these, the shortened ones: few, where `told_` may be long
  bool reopened_ = false;
  strategies::SuspectSet refused_;
  std::optional<strategies::Answer> before_other_fix_;
  std::vector<strategies::SuspectId> chosen_;  ///< fix, by its number in the scope
};

}  // namespace bisectd::driver
