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

  int judged() const { return passes + fails; }
  int told() const { return judged() + inconclusive + unresolved; }
  bool tied() const { return passes == fails && passes > 0; }
  /// The majority of its pass and fail verdicts; inconclusive on a tie or when only that was told.
  Verdict verdict() const;
};

/// A set that fails although it is part of a set that passes; indices into the log.
struct Contradiction {
  std::size_t fail = 0, pass = 0;
};

class EvidenceLog {
 public:
  explicit EvidenceLog(std::size_t suspects) : suspects_(suspects) {}

  /// What adding one evidence did to the verdict of its entry.
  struct Change {
    std::size_t entry = 0;
    bool fresh = false;     ///< the set was not in the log before
    bool revised = false;   ///< the entry had said something else before
  };
  /// Throws std::invalid_argument if the set is not over this problem's suspects.
  Change add(const Evidence& evidence);

  const std::vector<LogEntry>& entries() const { return entries_; }  ///< in the order first told
  const LogEntry* find(const SuspectSet& active) const;

  /// An entry that shows, by monotonicity, that `active` fails (it fails itself with no more active), or passes.
  std::optional<std::size_t> shows_fail(const SuspectSet& active) const;
  std::optional<std::size_t> shows_pass(const SuspectSet& active) const;

  /// The first contradiction that stands, by the present verdicts.
  std::optional<Contradiction> contradiction() const;
  /// Whether repeating this entry can still help to settle a tie or a contradiction.
  bool worth_repeating(const LogEntry& entry) const;

 private:
  struct Hash {
    std::size_t operator()(const SuspectSet& set) const;
  };

  std::size_t suspects_;
  std::vector<LogEntry> entries_;
  std::unordered_map<SuspectSet, std::size_t, Hash> index_;  // looked up only, never walked
  std::vector<Contradiction> contradictions_;                // superset of those that stand
};

}  // namespace bisectd::strategies
