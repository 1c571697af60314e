// Which of the likely causes are accused, what would fix them, and which claims of that verdicts have still to show. A
// verdict that says the opposite settles something (settled.hpp), and then others are accused.
#pragma once

#include "strategies/answer.hpp"
#include "strategies/certificate.hpp"
#include "strategies/signatures/belief.hpp"
#include "strategies/signatures/settled.hpp"

namespace bisectd::strategies::signatures {

inline constexpr double kGate = 0.9;       // mass from which a finding is checked
inline constexpr std::size_t kDoubts = 2;  // further splits per slot, once a fix has passed; then verdicts go on

/// A claim that is still to be shown, and the trial that shows it.
struct Check {
  Active active;
  Claim claim;
};

class Accusation {
 public:
  /// All of these must outlive it.
  Accusation(const Problem& problem, const Active& always_active, const EvidenceLog& log);

  /// Notes what the checks have shown, a fix that passes and causes that fail alone, before anything else is believed.
  void note_shown();
  /// Accuses anew, by what is believed and by all verdicts so far. Where a fix of guilty causes failed, the belief is
  /// explained once more with it neutralised.
  void review(Belief& belief);
  void withdraw();  ///< nobody is accused, nothing is to be checked

  const Finding& finding() const { return finding_; }
  const std::vector<Check>& checks() const { return checks_; }  ///< in the order in which they are asked
  /// Nothing but claims whose verdict the noise hides is left to be shown.
  bool only_hidden() const { return checks_.empty() && hidden_ > 0; }
  const Settled& settled() const { return settled_; }
  /// Signatures carry the search no further, so others must go on: docs/search.md, "It hands over", has all the reasons.
  bool gives_up() const { return gives_up_; }

  /// Below it a cause is not told from what healthy suspects change.
  double least_size(const Belief& belief) const;

 private:
  void accuse(const Belief& belief);
  bool hold_against_verdicts(Belief& belief);
  bool set_aside_disbelieved();
  bool take_back(const Claim& claim, Belief& belief);
  void look_for_rest(const Belief& belief);
  bool any_unexplained_failure() const;
  bool refuted(const Check& check) const;
  std::vector<Claim> claims() const;
  std::size_t splits() const;
  std::size_t tried_in_vain() const;
  bool out_of_patience(const Belief& belief) const;

  const Problem& problem_;
  const Active& always_active_;
  const EvidenceLog& log_;
  Settled settled_;
  Finding finding_;
  double greatest_ = 0;  // size of the greatest cause of the finding that is not settled yet
  std::vector<Check> checks_;
  std::size_t hidden_ = 0;  // claims that no further trial of their set would show
  bool gives_up_ = false;
};

}  // namespace bisectd::strategies::signatures
