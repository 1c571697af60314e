// What a result says of each of its parts (costs, controls, ladders, signatures, the second search, what is undecided), in
// the words that all renderers share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/record.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {

/// Whether a step takes longer than `accept.step_time` allows, by more than step times differ from run to run. False where
/// nothing is known.
bool exceeds_step_time(const Costs& costs, double step_time_s);

/// "Step time 0.200 s as it is, 0.222 s with the fix (+11 %)."; empty when not measured, and where pruned_texts() says it.
std::string cost_text(const Record& record);

/// A sentence for each other fix that was tried: "Another fix, ops:b neutralised instead, passes, too (+0.02 %), step time
/// 0.180 s (-19 % against the fix).". One that fails shows that there are causes without a name.
std::vector<std::string> other_fix_texts(const Record& record, Escape escape);

/// How the long run of the fix came out (`soak`), with what was seen of its memory; empty: there was none.
std::string soak_text(const Record& record, Escape escape);

/// What is left of a pruned workaround, a sentence each, and the speed won back; empty if nothing was pruned.
std::vector<std::string> pruned_texts(const Record& record, Escape escape);

/// "Once more at the end of the run: ops:a neutralised: pass (trial 11), nothing neutralised: fail (trial 12)."; empty where
/// there were no controls.
std::string controls_text(const Record& record, Escape escape);

/// "loss_scale passes by itself from 16 to 4096; 256 is the middle of that window."
std::string ladder_sentence(const Ladder& ladder, Escape escape);

/// Of one value: "recommended" for what is taken of the window, else empty.
std::string_view rung_note(const Ladder& ladder, const Rung& rung);

inline constexpr const char* kWhatSignaturesShow =
    "Trials in which the same causes are active begin alike. Each row is one way to begin: how far the first steps are from "
    "the "
    "reference, in units of what two healthy runs differ by.";

/// There is something to compare: two ways to begin or more.
bool shows_signatures(const Record& record);
/// "1838 healthy spreads"
std::string signature_size_text(const SignatureGroup& group);
/// The causes that were active in all of its trials; "no cause" if none.
std::string signature_causes_text(const Record& record, const SignatureGroup& group, Escape escape);

/// True of a set that holds parts of members: it is of the second search.
bool holds_parts(const Record& record, std::span<const std::size_t> ids);

/// Ids, ascending: of the suspects that the set was chosen from.
std::vector<std::size_t> chosen_from(const Record& record, std::span<const std::size_t> ids);

/// Ids, ascending: of the suspects that some search chose from; parts of members that nobody suspected are none.
std::vector<std::size_t> searched_suspects(const Record& record);

/// A line for each search: what it was among, and what it found. None where there was but one search.
std::vector<std::string> descent_texts(const Record& record, Escape escape);

/// "parts: which of 12 parts of modules:conv1 are guilty".
std::string descent_line(const Record& record);

/// A line of the first search's certificate, where the second one has the answer.
std::string first_claim_text(const Record& record, const strategies::Claim& claim, Escape escape);

/// The claims of both searches, those of the answer first.
struct ProofLine {
  const strategies::Claim* claim = nullptr;
  std::string text;
};
std::vector<ProofLine> proof_lines(const Record& record, Escape escape);

/// What stands below the answer: a heading, and a sentence each.
struct Notes {
  std::string_view id;  ///< of the section in report.html
  std::string_view title;
  std::vector<std::string> lines;
};

/// In the order in which every report shows them, without those that have no line.
std::vector<Notes> notes(const Record& record, Escape escape);

}  // namespace bisectd::reports
