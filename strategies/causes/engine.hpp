// The engine `causes`: a posterior over sets of causes, batches of pools, and the checks of the certificate as part of
// the batches. It stops on the certificate, never on its own belief; a misfit is said, and the caller goes on with
// `ordered`.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "strategies/answer.hpp"
#include "strategies/causes/particles.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/finding.hpp"
#include "strategies/relations.hpp"

namespace bisectd::strategies::causes {

class Engine {
 public:
  /// Suspects in `always_active` are active in every trial and not searched; the others are at most kMostSuspects. Begins
  /// with what the log holds already; problem, relations and log must outlive the engine.
  Engine(const Problem& problem, const Relations& relations, SuspectSet always_active, const EvidenceLog& log);

  /// Takes in the opinion just added to the log.
  void hear(const Opinion& opinion);
  /// The log's flip chance is another one now.
  void weigh_again();
  /// Verdicts that the particles believe to be wrong, on average, of those that are doubted no more than usual.
  Flips expected_flips() const;

  /// Nothing it believes in explains what it heard, it can take in no more, or what it asks says nothing.
  bool misfit() const {
    return particles_.misfit() || tests_.full() || crowded_ || silent_in_a_row_ >= most_silent_;
  }

  /// The answer that is likeliest, or the one that is proved.
  const Finding& finding() const { return findings_.front(); }

  /// Active sets to run now beside `pending`; empty if it has none that would tell anything.
  std::vector<SuspectSet> ask(std::size_t count, std::span<const SuspectSet> pending) const;
  /// Whether `active` was asked as a check of a claim, rather than as a pool.
  bool is_check(const SuspectSet& active) const;

  std::vector<double> guilt() const;  ///< per suspect, from the particles

 private:
  struct Check {
    SuspectSet active;
    std::size_t votes;  // verdicts it lacks, if all come as expected
  };
  SuspectSet local(const SuspectSet& active) const;
  SuspectSet global(const SuspectSet& pool) const;
  double doubt_ratio(const Opinion& opinion) const;
  std::size_t votes_missing(const Claim& claim) const;
  void review();
  void check_proof(const LogEntry& latest);
  bool may_decide(const SuspectSet& active) const;

  const Problem& problem_;
  const Relations& relations_;
  SuspectSet always_active_;
  const EvidenceLog& log_;
  std::vector<SuspectId> suspects_;  // local to global
  std::vector<double> price_;        // of these
  Relations local_relations_;
  Tests tests_;
  std::vector<Opinion> heard_;  // by test
  Particles particles_;
  std::vector<Finding> findings_;   // the likeliest first; never empty
  std::vector<Check> checks_;       // what the likely findings still want judged
  bool crowded_ = false;            // about as many causes as it can hold
  std::size_t most_silent_;
  std::size_t silent_in_a_row_ = 0;  // sets
};

}  // namespace bisectd::strategies::causes
