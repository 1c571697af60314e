// The claims that make up the proof of an answer, and which told trials show them. Replayable: a claim is shown by one
// judged trial, so that the journal alone re-derives it.
#pragma once

#include <span>
#include <vector>

#include "strategies/answer.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/finding.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// All claims about those accused. `always_active` stays active in every trial. Which trials show a
/// claim:
/// - that a set fails: one of that set, or of one that is neutralised further and still fails;
/// - that a set passes: only one of that set, as opposite faults may cancel in one that is neutralised less;
/// - that a member is needed: its cause failing alone; but where the subject as it is differs as if that member did
///   nothing, only a trial of exactly the rest of the fix.
/// Claim::neutralised is the trial that shows it (with noise the strongest of them), or the one to run if it is not proved.
std::vector<Claim> certificate(const EvidenceLog& log, const Active& always_active, const Accused& accused);

/// Of these the ones that are not proved; but not that a member is needed where its cause, which fails alone, shows that.
std::vector<Claim> claims_to_check(const EvidenceLog& log, const Active& always_active, const Accused& accused);

/// Chance that the claims about the culprit set all hold, from the evidence for each; if all claims are proved, it is
/// what the log was asked for or more.
double confidence_in(std::span<const Claim> claims);

/// Whether a judged trial shows the claim about this answer: right verdict, and a set that implies it.
bool shows(const Claim& claim, const Answer& answer, const Neutralised& neutralised, Verdict verdict);

}  // namespace bisectd::strategies
