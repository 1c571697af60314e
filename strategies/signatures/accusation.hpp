// Which of the likely causes are accused, what would fix them, and which claims of that verdicts have still to show. A
// verdict that says the opposite settles something, and then others are accused.
#pragma once

#include "strategies/answer.hpp"
#include "strategies/certificate.hpp"
#include "strategies/signatures/belief.hpp"

namespace bisectd::strategies::signatures {

inline constexpr double kGate = 0.9;  // mass from which a finding is checked

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

class Accusation {
 public:
  /// All of these must outlive it.
  Accusation(const Problem& problem, const Active& always_active, const EvidenceLog& log);

  /// Notes a fix that was checked and passed, before anything else is believed.
  void note_fix();
  /// Accuses anew, by what is believed and by all verdicts so far. Where a fix of guilty causes failed, the belief is
  /// explained once more with it neutralised.
  void review(Belief& belief);
  void withdraw();  ///< nobody is accused, nothing is to be checked

  const Finding& finding() const { return finding_; }
  const std::vector<Claim>& checks() const { return checks_; }  ///< in the order in which they are asked
  /// Nothing but claims whose verdict the noise hides is left to be shown.
  bool only_hidden() const { return checks_.empty() && hidden_ > 0; }
  const Settled& settled() const { return settled_; }
  /// Signatures carry the search no further, so others must go on: docs/signatures.md, "It hands over", has all the reasons.
  bool gives_up() const { return gives_up_; }

 private:
  void remember(const Settled::Members& fix);
  void accuse(const Belief& belief);
  bool hold_against_verdicts(Belief& belief);
  bool take_back(const Claim& claim, Belief& belief);
  void look_for_rest(const Belief& belief);
  bool any_unexplained_failure() const;
  const LogEntry* entry_of(const Claim& claim) const { return log_.find(active_beside(claim.neutralised)); }
  bool refuted(const Claim& claim) const;
  std::size_t splits() const;
  std::size_t tried_in_vain() const;
  bool out_of_patience() const;

  const Problem& problem_;
  const Active& always_active_;
  const EvidenceLog& log_;
  Settled settled_;
  Finding finding_;
  double greatest_ = 0;  // size of the greatest cause of the finding that is not settled yet
  std::vector<Claim> checks_;
  std::size_t hidden_ = 0;  // claims that no further trial of their set would show
  bool gives_up_ = false;
};

}  // namespace bisectd::strategies::signatures
