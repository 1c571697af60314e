// Two searches in one run: which suspects a set is of, and what each search came to. All renderers say the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/record.hpp"
#include "reports/words.hpp"

namespace bisectd::reports {

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

}  // namespace bisectd::reports
