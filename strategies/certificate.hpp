// The claims that make up the proof of an answer, and which told trials show them. Replayable: a claim is shown by one
// judged trial, so that the journal alone re-derives it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strategies/answer.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// All claims about this culprit set and these causes. `always_active` stays active in every trial. Which trials show a
/// claim:
/// - that a set fails: one of that set, or of one that is neutralised further and still fails;
/// - that a set passes: only one of that set, as opposite faults may cancel in one that is neutralised less;
/// - that a member is needed: its cause failing alone; but where the subject as it is differs as if that member did
///   nothing, only a trial of exactly the rest of the fix.
/// Claim::neutralised is the trial that shows it (with noise the strongest of them), or the one to run if it is not proved.
std::vector<Claim> certificate(const EvidenceLog& log, const Active& always_active, std::span<const SuspectId> culprit_set,
                               std::span<const std::vector<SuspectId>> causes);

/// What was seen so far that shows a claim.
struct SeenClaim {
  bool own_trial = false;
  std::size_t entries = 0;  ///< of the log, looked at
  double bits = 0;
  int times = 0;
  std::optional<std::size_t> by;  ///< the entry of the set itself, or the strongest that implies it; none: nothing shows it
  double strongest = 0;
};

/// What was seen for the claims of one answer, so that of a long log only what was told since is looked at again.
struct SeenClaims {
  std::vector<SuspectId> culprit_set;
  std::vector<std::vector<SuspectId>> causes;
  Active always_active;
  std::size_t changes = 0;  ///< EvidenceLog::changes
  std::vector<SeenClaim> claims;
};

/// The same, for an answer that is asked about after every trial. `seen` is of this log, or empty.
std::vector<Claim> certificate(const EvidenceLog& log, const Active& always_active, std::span<const SuspectId> culprit_set,
                               std::span<const std::vector<SuspectId>> causes, SeenClaims& seen);

/// Chance that the claims about the culprit set all hold, from the evidence for each; if all claims are proved, it is
/// what the log was asked for or more.
double confidence_in(std::span<const Claim> claims);

/// Whether a judged trial shows the claim about this answer: right verdict, and a set that implies it.
bool shows(const Claim& claim, const Answer& answer, const Neutralised& neutralised, Verdict verdict);

}  // namespace bisectd::strategies
