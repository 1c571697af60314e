// What verdicts have settled about causes that the first steps show. A signature never unsettles it.
#pragma once

#include <cstddef>
#include <vector>

#include "strategies/finding.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies::signatures {

class Settled {
 public:
  using Members = std::vector<SuspectId>;  ///< of a cause or a fix, ascending

  explicit Settled(std::size_t suspects) : off_(suspects) {}

  /// These causes are guilty, but their fix fails: it is neutralised from now on, and the rest is looked for, where nothing
  /// louder hides it. `trials`: told so far.
  void keep_neutralised(const Accused& guilty, std::size_t told);
  /// The cause passes alone: whatever it changes does no harm.
  void acquit(const Members& cause);
  /// The fix passes without this member of it: its causes fail alone, but not where only the rest of the fix is neutralised.
  void set_aside(SuspectId needless, const Accused& finding);
  /// The cause fails alone, as was claimed of it.
  void note_failure(const Members& cause);
  /// It failed alone, and a trial passes in which it is active beside others.
  void set_aside(const Members& cause);
  /// It passes. The smallest such fix stays known, whatever signatures make likely later: nobody else need be guilty.
  void note_fix(const Members& fix);

  const std::vector<Members>& guilty() const { return guilty_; }
  const SuspectSet& off() const { return off_; }            ///< kept neutralised in every trial
  std::size_t told_at_off() const { return told_at_off_; }  ///< trials of the log when `off` became what it is
  const std::vector<Members>& harmless() const { return harmless_; }
  const std::vector<Members>& only_beside_others() const { return only_beside_others_; }  ///< see Finding
  const std::vector<Members>& failed_alone() const { return failed_alone_; }  ///< but for those that were set aside
  const Members& fix() const { return fix_; }                                 ///< empty: none passed so far

  /// Whether nobody is to be accused of this cause: it is harmless, set aside, or all active in the fix that passed.
  bool clears(const Members& cause) const;

 private:
  std::vector<Members> guilty_, harmless_, only_beside_others_, failed_alone_;
  SuspectSet off_;
  std::size_t told_at_off_ = 0;
  Members fix_;
};

}  // namespace bisectd::strategies::signatures
