// The engine `signatures`: reads the first steps of every trial, which differ from the reference in a way of their own for
// each set of active causes (docs/search.md), and so learns of all causes at once. Whether a cause does harm the verdicts
// tell: one that says the opposite of what is claimed settles something, and then others are accused. It hands over where
// signatures do not explain the harm.
#pragma once

#include "strategies/certificate.hpp"
#include "strategies/engine.hpp"
#include "strategies/random.hpp"
#include "strategies/signatures/explanation.hpp"

namespace bisectd::strategies::signatures {

/// What verdicts have settled about causes that the first steps show. A signature never unsettles it.
struct Settled {
  using Members = std::vector<SuspectId>;  ///< of a cause or a fix, ascending

  std::vector<Members> harmless = {};            ///< pass alone: whatever they change does no harm
  std::vector<Members> only_beside_others = {};  ///< see Finding
  std::vector<Members> guilty = {};              ///< but their fix fails:
  SuspectSet off = {};          ///< it is neutralised from now on, and the rest looked for, where nothing hides it
  std::size_t told_at_off = 0;  ///< trials of the log when `off` became what it is
  Members fix = {};  ///< the smallest that passed, whatever signatures make likely later: nobody else need be guilty

  /// Whether nobody is to be accused of this cause: it is harmless, set aside, or all active in the fix that passed.
  bool clears(const Members& cause) const;
};

class Engine : public strategies::Engine {
 public:
  /// Suspects in `always_active` are active in every trial and not searched. Begins with what the log holds already;
  /// problem and log must outlive the engine.
  Engine(const Problem& problem, Active always_active, const EvidenceLog& log);

  void hear() override;
  /// docs/signatures.md, "It hands over", has all the reasons.
  bool misfit() const override { return misfit_; }
  const Finding& finding() const override { return finding_; }
  /// Once the likeliest causes have the mass kGate: the checks of what is claimed of them, at full length. Before that, in
  /// up to half of the slots (in the only one), causes that are certain, alone and at full length; then trials of a few
  /// steps, whose active sets split what is believed of every cause in half.
  std::vector<Trial> ask(std::size_t count, std::span<const Neutralised> pending) const override;
  std::vector<double> guilt() const override;
  std::optional<double> trials_left() const override;

 private:
  bool take_in();
  bool explain();
  void note_fix();
  void withdraw();
  void review();
  void accuse();
  void check(const std::vector<Claim>& open);
  bool take_back(const Claim& claim);
  void look_for_rest();
  bool any_unexplained_failure() const;
  const LogEntry* entry_of(const Claim& claim) const { return log_.find(active_beside(claim.neutralised)); }
  bool refuted(const Claim& claim) const;
  std::size_t splits_so_far() const;
  std::size_t tried_in_vain() const;
  bool out_of_patience() const;
  std::vector<Trial> certain(std::size_t count, std::span<const Neutralised> pending) const;
  std::vector<Active> splits(std::size_t count, std::span<const Neutralised> running, Random random) const;
  std::string reason_of_split(const Active& active) const;

  const Problem& problem_;
  const Active always_active_;  // in no row and no split
  const EvidenceLog& log_;
  Explainer explainer_;
  Rows rows_;
  std::size_t heard_ = 0;  // of what the log was told
  Explanation causes_;     // the greatest first
  Settled settled_;
  Finding finding_;
  double greatest_ = 0;        // size of the greatest cause of the finding that is not settled yet
  std::vector<Claim> checks_;  // in the order in which they are asked
  std::size_t hidden_ = 0;     // claims that no further trial of their set would show
  bool misfit_ = false;
};

}  // namespace bisectd::strategies::signatures
