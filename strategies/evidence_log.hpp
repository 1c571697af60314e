// Every trial told so far, by its set: how often it passed, failed or said nothing; what follows from it by
// monotonicity; and where it contradicts itself. Works on active sets (the complement of the neutralised ones).
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "strategies/evidence.hpp"

namespace bisectd::strategies {

/// One set of active suspects and all that was told about it.
struct LogEntry {
  SuspectSet active;
  int passes = 0, fails = 0, inconclusive = 0, unresolved = 0;
  double bits = 0;  ///< evidence for a failure (positive) or a pass: sum of log2 likelihood ratios of what was told
  Verdict verdict = Verdict::unresolved;  ///< pass or fail once the bits suffice; inconclusive while they do not

  int judged() const { return passes + fails; }
  int told() const { return judged() + inconclusive + unresolved; }
  bool disputed() const { return passes > 0 && fails > 0; }
};

/// A set that fails although it is part of a set that passes; indices into the log.
struct Contradiction {
  std::size_t fail = 0, pass = 0;
};

class EvidenceLog {
 public:
  /// `flip`: chance that one verdict is wrong; `error`: accepted chance that a settled entry is wrong.
  EvidenceLog(std::size_t suspects, double flip, double error);

  bool exact() const { return flip_ <= 0; }
  double needed_bits() const { return needed_bits_; }  ///< of evidence, to settle an entry or a claim
  /// Chance that what one evidence says (a failure iff p_bad > 1/2 or the verdict is fail) is wrong.
  double doubt(const Evidence& evidence) const;

  /// What adding one evidence did to the verdict of its entry.
  struct Change {
    std::size_t entry = 0;
    Verdict before = Verdict::unresolved;  ///< meaningful unless fresh
    bool fresh = false;                    ///< the set was not in the log before
  };
  /// Throws std::invalid_argument if the set is not over this problem's suspects.
  Change add(const Evidence& evidence);

  const std::vector<LogEntry>& entries() const { return entries_; }  ///< in the order first told
  const LogEntry* find(const SuspectSet& active) const;

  /// The first contradiction that stands, by the present verdicts.
  std::optional<Contradiction> contradiction() const;
  /// Whether repeating this entry can still help to settle a tie or a contradiction.
  bool worth_repeating(const LogEntry& entry) const;

 private:
  struct Hash {
    std::size_t operator()(const SuspectSet& set) const;
  };

  std::size_t suspects_;
  double flip_, needed_bits_;
  std::vector<LogEntry> entries_;
  std::unordered_map<SuspectSet, std::size_t, Hash> index_;  // looked up only, never walked
  std::vector<Contradiction> contradictions_;                // superset of those that stand
};

}  // namespace bisectd::strategies
