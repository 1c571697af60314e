// The engine `signatures`: reads the first steps of every trial, which differ from the reference in a way of their own for
// each set of active causes (docs/search.md), and so learns of all causes at once. What it believes it proves by verdicts:
// the fix passes, each cause fails alone. It hands over where signatures do not explain the harm.
#pragma once

#include "strategies/answer.hpp"
#include "strategies/engine.hpp"
#include "strategies/evidence_log.hpp"
#include "strategies/relations.hpp"
#include "strategies/signatures/explanation.hpp"

namespace bisectd::strategies::signatures {

class Engine : public strategies::Engine {
 public:
  /// Suspects in `always_active` are active in every trial and not searched. Begins with what the log holds already;
  /// problem, relations and log must outlive the engine.
  Engine(const Problem& problem, const Relations& relations, SuspectSet always_active, const EvidenceLog& log);

  void hear() override;
  void weigh_again() override { review(); }
  /// The causes that it believes in do not explain the harm, or it finds none.
  bool misfit() const override { return misfit_; }
  const Finding& finding() const override { return finding_; }
  std::vector<Question> ask(std::size_t count, std::span<const SuspectSet> pending) const override;
  std::vector<double> guilt() const override;
  std::optional<double> trials_left() const override;

 private:
  using Members = std::vector<SuspectId>;
  struct Check {
    SuspectSet active;
    Claim claim;
  };
  void take_rows();
  std::vector<double> whole_signature() const;
  void believe();
  void keep_fix();
  void note_fix(const Members& fix);
  void review();
  void gather_finding();
  double least_size() const;
  bool out_of_patience() const;
  bool hold_against_verdicts();
  bool take_back(const Claim& claim);
  void look_for_rest();
  void peel();
  Members members_of_likeliest(const Cause& cause) const;
  bool mended_without(const Members& cause) const;
  bool any_unexplained_failure() const;
  void acquit(const Members& cause);
  void set_aside(SuspectId needless);
  /// What was heard, in vain or not: a judged trial with a signature was heard twice. kPatience is tuned to this count.
  std::size_t trials() const { return log_.signatures().size() + log_.entries().size(); }
  bool refuted(const Check& check) const;
  SuspectSet local(const SuspectSet& active) const;
  SuspectSet global(const SuspectSet& set) const;
  SuspectSet alone(const Members& cause) const;
  std::vector<Question> rivals(std::size_t count, std::span<const SuspectSet> pending) const;

  const Problem& problem_;
  const Relations& relations_;
  SuspectSet always_active_;
  const EvidenceLog& log_;
  std::vector<SuspectId> suspects_;  // local to global
  Relations local_relations_;
  std::size_t heard_ = 0;  // signatures of the log taken in
  Explainer explainer_;
  Rows rows_;
  std::vector<Members> peeled_;     // causes found, whose neutralising leaves more harm: global
  std::vector<Members> beside_;     // fail alone, but do no harm where only the rest of the fix is neutralised: global
  std::vector<Members> harmless_;   // with a signature, but they pass alone: global
  std::size_t trials_at_peel_ = 0;  // told when the last of them were settled
  SuspectSet off_;                  // neutralised in every trial from now on: breaks the settled causes; global
  Explanation explanation_;
  std::vector<Check> checks_;  // claims of the finding that are still to be proved
  Finding finding_;
  double greatest_ = 0;  // size of the greatest cause of the finding that is not settled yet
  Members fix_;          // the smallest one that was seen to pass: nobody else need be guilty
  std::size_t splits_after_fix_ = 0;
  bool misfit_ = false;
};

}  // namespace bisectd::strategies::signatures
