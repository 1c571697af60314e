// What one trial is to launch and how its attempts are to be repeated. Plain data.
#pragma once

#include <string>

#include "driver/trial/attempts.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver {

/// `end`: the subject as it is or with everything neutralised once more, in another arithmetic, before trials are judged by
/// which of the two they look like; not judged. `overflow_check`: one run in which the framework names the first operator
/// with an inf or a nan; not judged. `signature`: ends after its first steps, which are compared with those of other trials;
/// `proof`: a claim of the finished answer once more, at full length and without a grey zone; `control`: what the finished
/// answer predicts, once more at the end of the run, in no search's evidence; `watched`: the subject as it is while it is
/// looked at, as it is while suspects are neutralised; `soak`: the fix, for longer than a trial; `by_hand`: a set that a
/// person named.
enum class Role {
  reference,
  discovery,
  as_is,
  end,
  overflow_check,
  ladder,
  everything,
  runnable,
  signature,
  search,
  measurement,
  certificate,
  proof,
  other_fix,
  control,
  watched,
  soak,
  by_hand
};

const char* name_of(Role role);
/// Throws std::invalid_argument for a word that is no role.
Role role_of(const std::string& name);
Role role_of(strategies::Purpose purpose);

/// Trials that the search asked for; the others come before it or after.
bool is_search(Role role);
/// Trials whose verdicts the search is told.
bool is_evidence(Role role);

/// What names a trial's folder: two trials of one set have the same key.
std::string set_key(const strategies::SuspectSet& set);

/// Reason of a trial that is not judged: its curves are there, which is all that was wanted.
inline constexpr const char* kMeasured = "measured";

/// What a trial asks: planned for a new one, read from the journal for an earlier one.
struct TrialQuestion {
  std::size_t number = 0;  ///< given by Trials
  Role role = Role::search;
  strategies::Neutralised neutralised;
  std::string reason;       ///< why this trial, with names; where one set has several trials of a role (controls, ladders,
                            ///< soaks), a resumed run knows each of them by these very words
  neutralise::Rungs rungs;  ///< the values by which it neutralises ladders
};

struct TrialPlan : TrialQuestion, AttemptPlan {
  int attempts = 1;      ///< whole curves wanted before it is judged
  int max_attempts = 1;  ///< whole curves at most, while inconclusive
  bool judged = true;
  /// A crash is retried where it would itself be taken for an answer: when looking for suspects that break the run and for
  /// the certificate. Without the ends and the proofs there is no answer at all. Elsewhere the search just goes around it.
  int crash_retries = 0;
};

}  // namespace bisectd::driver
