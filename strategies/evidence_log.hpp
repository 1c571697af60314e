// Every trial told so far, in the order told and by its set: how often a set passed, failed or said nothing; what follows
// from that by monotonicity; and where it contradicts itself. All engines read this one log.
#pragma once

#include <boost/functional/hash.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "strategies/evidence.hpp"

namespace bisectd::strategies {

/// One set of active suspects and all that was told about it.
struct LogEntry {
  Active active;
  int passes = 0, fails = 0, inconclusive = 0, unresolved = 0;
  double bits = 0;      ///< evidence for a failure (positive) or a pass: sum of log2 likelihood ratios of what was told
  double surest = 0.5;  ///< the highest probability that the judge gave to a verdict about it, as told
  Verdict verdict = Verdict::unresolved;     ///< pass or fail once the bits suffice; inconclusive while they do not
  std::optional<std::size_t> measured = {};  ///< the first of its trials whose difference counts; index into told()
  bool repeats_itself = false;  ///< another of its trials measured exactly what that one did: a third one would, too

  int judged() const { return passes + fails; }
  int told() const { return judged() + inconclusive + unresolved; }
  bool disputed() const { return passes > 0 && fails > 0; }
};

/// One trial as it was told.
struct Told {
  Evidence evidence;
  Active active;
  std::optional<std::size_t> entry = {};  ///< of its set; nothing if only its signature was looked at
  bool first = false;                     ///< about its set
  bool passed_before = false;             ///< passes with nothing active but what passed in other trials
  std::optional<Verdict> doubted = {};    ///< the verdict, if the judge was hardly sure of it

  bool leans_to_fail() const;                       ///< fails, or more likely so where noise hides the verdict
  bool measured() const;                            ///< its difference counts
  bool measures_the_same(const Told& other) const;  ///< to the last bit: runs repeat themselves
};

/// A set that fails although it is part of a set that passes; indices into the log.
struct Contradiction {
  std::size_t fail = 0, pass = 0;
};

class EvidenceLog {
 public:
  /// `flip`: chance that one verdict is wrong; absent: unknown. `error`: accepted chance that the answer is wrong.
  EvidenceLog(std::size_t suspects, std::optional<double> flip, double error);

  bool exact() const { return flip_ <= 0; }
  double flip() const { return flip_; }
  /// Weighs all verdicts again with another flip chance, > 0. Returns whether the verdict of an entry changed.
  bool set_flip(double flip);

  double error() const { return error_; }  ///< accepted chance that the answer is wrong
  /// Bits of evidence that decide an entry, and the least that prove a claim: the chance that is left is a third of error().
  double needed_bits() const;

  const std::vector<Told>& told() const { return told_; }                    ///< in the order told
  const std::vector<std::size_t>& signed_trials() const { return signed_; }  ///< those with a signature; indices into told()
  /// Chance that a verdict is wrong: the judge may be less sure than usual, but not surer than verdicts are in
  /// general, however certain it says it is: early stops and events are wrong, too, now and then.
  double doubt(const Told& told) const;
  /// Says next to nothing: the run broke, or the judge might as well have tossed a coin.
  bool silent(const Told& told) const;
  /// Of the first trial with exactly these active; empty: there is none.
  std::vector<double> signature_of(const Active& active) const;
  /// Its signature, and what was measured first with exactly these active.
  Measured measured(const Active& active) const;
  /// Of all trials with exactly these active whose difference is known.
  std::optional<double> mean_difference(const Active& active) const;
  /// The chance that a verdict is wrong, from how many are outvoted by others over the same set: the mean of a Beta
  /// distribution that begins as Beta(1, 24), one verdict in 25. Erring high costs a few repeats, erring low a wrong
  /// culprit: so no trust is gained without evidence, and a run of right verdicts halves the belief only after 25 of them.
  double believed_flip() const;

  /// What one evidence did to the verdict of its entry.
  struct Change {
    std::size_t entry = 0;
    Verdict before = Verdict::unresolved;  ///< meaningful unless fresh
    bool fresh = false;                    ///< the set was not in the log before
    bool others = false;                   ///< the verdict of another entry changed, too
  };
  /// Takes in one trial; nothing if only its signature was looked at. Throws std::invalid_argument if the set is not over
  /// this problem's suspects.
  std::optional<Change> tell(const Evidence& evidence);

  const std::vector<LogEntry>& entries() const { return entries_; }  ///< in the order first told
  const LogEntry* find(const Active& active) const;

  using Excuse = std::function<bool(const LogEntry& fail, const LogEntry& pass)>;
  /// The first contradiction that stands, by the present verdicts; one that is `excused` is none.
  std::optional<Contradiction> contradiction(const Excuse& excused = {}) const;

 private:
  bool may_be_the_references_luck(const Told& told) const;
  /// Makes the verdict of this trial, the latest, and of others inconclusive where they lie at the target itself. Returns
  /// whether the verdict of another entry changed.
  bool doubt_at_the_target(std::size_t at);
  static void take_what_it_leans_to(Told& told);
  static void count(LogEntry& entry, Verdict verdict, int more);
  /// Of the first so many trials. Returns whether the verdict of an entry changed.
  bool weigh_again(std::size_t trials);
  void weigh(const Told& told);
  void decide(std::size_t entry);

  std::size_t suspects_;
  double flip_, error_;
  std::vector<Told> told_;
  std::vector<std::size_t> signed_;
  SuspectSet passed_;     ///< active in trials that passed, but for the subject as it is
  double as_is_sum_ = 0;  ///< differences of the subject as it is
  std::vector<LogEntry> entries_;
  std::unordered_map<Active, std::size_t, boost::hash<SuspectSet>> index_;  // looked up only, never walked
  std::vector<Contradiction> contradictions_;                               // superset of those that stand
};

}  // namespace bisectd::strategies
