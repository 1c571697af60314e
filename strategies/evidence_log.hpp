// Every trial told so far, by its set: how often it passed, failed or said nothing; what follows from it by
// monotonicity; and where it contradicts itself. Works on active sets (the complement of the neutralised ones).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "strategies/evidence.hpp"
#include "strategies/flip_estimate.hpp"

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

/// One verdict as it was told.
struct Opinion {
  std::size_t entry = 0;
  bool fails = false;
  bool fresh = false;          ///< the first about its set
  double claimed_doubt = 0.5;  ///< chance that it is wrong, as the judge sees it; 1/2: says nothing
};

/// One measured difference.
struct Measurement {
  std::size_t entry = 0;
  double delta = 0, error = 0;  ///< error: its standard deviation
};

/// The signature of one trial.
struct SignatureRow {
  SuspectSet active;
  std::vector<double> signature;
};

/// A set that fails although it is part of a set that passes; indices into the log.
struct Contradiction {
  std::size_t fail = 0, pass = 0;
};

class EvidenceLog {
 public:
  /// `flip`: chance that one verdict is wrong; `error`: accepted chance that the answer is wrong.
  EvidenceLog(std::size_t suspects, double flip, double error);

  bool exact() const { return flip_ <= 0; }
  double flip() const { return flip_; }
  /// Weighs all opinions again with another flip chance, > 0. Returns whether the verdict of an entry changed.
  bool set_flip(double flip);

  double error() const { return error_; }  ///< accepted chance that the answer is wrong
  /// Bits of evidence that decide an entry, and the least that prove a claim: the chance that is left is a third of error().
  double needed_bits() const;

  const std::vector<Opinion>& opinions() const { return opinions_; }              ///< in the order told
  const std::vector<Measurement>& measurements() const { return measurements_; }  ///< in the order told
  /// Chance that an opinion is wrong: the judge may be less sure than usual, but not surer than verdicts are in
  /// general, however certain it says it is: early stops and events are wrong, too, now and then.
  double doubt(const Opinion& opinion) const;
  /// Says next to nothing: the run broke, or the judge might as well have tossed a coin.
  bool silent(const Opinion& opinion) const;
  const std::vector<SignatureRow>& signatures() const { return signatures_; }  ///< in the order told
  /// Of the first trial with exactly these active; empty: there is none.
  std::vector<double> signature_of(const SuspectSet& active) const;
  /// Verdicts outvoted by the others over the same set, of those told more than once.
  Flips outvoted() const;

  /// What adding one evidence did to the verdict of its entry.
  struct Change {
    std::size_t entry = 0;
    Verdict before = Verdict::unresolved;  ///< meaningful unless fresh
    bool fresh = false;                    ///< the set was not in the log before
  };
  /// Throws std::invalid_argument if the set is not over this problem's suspects.
  Change add(const Evidence& evidence);

  /// Takes in a trial of which only the signature was looked at.
  void see(const Evidence& evidence);

  const std::vector<LogEntry>& entries() const { return entries_; }  ///< in the order first told
  const LogEntry* find(const SuspectSet& active) const;
  /// Those whose active suspects are all among these, in the order first told.
  std::vector<const LogEntry*> within(const SuspectSet& active) const;

  /// The first contradiction that stands, by the present verdicts; one whose failure is `excused` is none.
  std::optional<Contradiction> contradiction(const std::function<bool(const LogEntry& fail)>& excused = {}) const;

 private:
  struct Hash {
    std::size_t operator()(const SuspectSet& set) const;
  };

  void weigh(const Opinion& opinion);
  void settle(std::size_t entry);
  template <typename MayBe, typename Act>
  void each_of_blocks(const MayBe& may_be, const Act& act) const;

  std::size_t suspects_;
  double flip_, error_;
  std::vector<Opinion> opinions_;
  std::vector<Measurement> measurements_;
  std::vector<SignatureRow> signatures_;
  std::vector<LogEntry> entries_;
  std::vector<std::uint64_t> first_blocks_;  // of each entry the first suspects: they show nearly always at once that
                                             // one set is not within another
  std::unordered_map<SuspectSet, std::size_t, Hash> index_;  // looked up only, never walked
  std::vector<Contradiction> contradictions_;                // superset of those that stand
};

}  // namespace bisectd::strategies
