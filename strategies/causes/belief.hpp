// What verdicts alone make likely: a hundred explanations, each a list of causes. A cause is drawn anew from the list of all
// that may stand in its place given the other causes of its explanation, whose weights are known in closed form: the prior,
// times the odds against each pass that it was active in, over those against each failure that it explains and the others do
// not.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "strategies/pattern.hpp"
#include "strategies/random.hpp"

namespace bisectd::strategies::causes {

using Cause = std::vector<SuspectId>;    ///< one to three members that fail only together, ascending
using Explanation = std::vector<Cause>;  ///< a trial is predicted to fail if all members of one cause are active

/// One judged trial.
struct Vote {
  bool failed = false;
  double doubt = 0;  ///< chance that the verdict is wrong, below 0.5; 0: never
};

class Belief {
 public:
  /// `odds`: of each suspect, in any unit, 0: not searched; `exact`: no vote is ever wrong; `moves`: of each explanation,
  /// for each vote.
  Belief(std::vector<double> odds, bool exact, std::size_t moves, std::uint64_t seed);

  void add(const SuspectSet& active, Vote vote);
  /// Of all votes so far. The explanations stay: the moves to come carry them to what is likely now, which is near.
  void set_doubts(const std::vector<double>& doubts);

  const std::vector<Vote>& votes() const { return votes_; }
  const std::vector<Explanation>& explanations() const { return explanations_; }  ///< equally likely; some are equal
  bool misfit() const { return misfit_; }  ///< none explains the exact votes, though long looked for

 private:
  struct Level {  // votes of one doubt
    int worth;    // of each, in quarters of a bit
    Pattern failed, passed;
  };
  struct List {  // weights of all suspects, summed up, in units of 2^(top / 4)
    int top = -1'000'000;
    std::vector<double> sum;
    double share(SuspectId suspect) const { return (sum[suspect] - (suspect > 0 ? sum[suspect - 1] : 0)) / sum.back(); }
    SuspectId draw(Random& random) const;
  };

  struct Lists {                        // where the other causes cover the same votes
    List members;                       // each suspect as some member of a cause
    std::map<Cause, List> causes_with;  // each suspect as a cause with those kept
  };

  void weigh();  ///< sorts the votes into levels
  Pattern covered_by(const Explanation& explanation) const;
  Pattern wrong(const Explanation& explanation) const;
  List weighed(const std::vector<int>& gains) const;
  Lists& lists_beside(const Pattern& covered);
  const List& causes_with(const Cause& kept, const Pattern& covered, Lists& lists) const;
  int gain_of(const Cause& cause, const Pattern& covered) const;
  Cause kept_of(Cause out, std::size_t count, const List& likely);
  std::optional<Cause> redrawn(const Cause& kept, std::size_t others, const Pattern& covered, Lists& lists);
  void move(Explanation& explanation);
  void resample();
  bool keep_consistent();

  std::vector<double> share_;  // odds, summing to 1
  bool exact_, misfit_ = false;
  std::size_t moves_, searched_ = 0;
  Random random_;
  Activity active_;
  std::vector<Vote> votes_;
  std::vector<Level> levels_;
  Pattern failures_;
  std::map<Pattern, Lists> lists_;  // by the votes that other causes cover: explanations are alike
  std::vector<Explanation> explanations_;
};

}  // namespace bisectd::strategies::causes
