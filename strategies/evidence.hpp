// What a trial asks (Trial) and what its run showed (Evidence).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

enum class Verdict {
  pass,          ///< within the target
  fail,          ///< beyond the target
  inconclusive,  ///< judged, but the noise hides the answer
  unresolved,    ///< crash, hang, lost node, no curve: no evidence either way
};

constexpr bool decided(Verdict verdict) { return verdict == Verdict::pass || verdict == Verdict::fail; }

enum class Purpose {
  subject_as_is,           ///< nothing neutralised: must fail
  everything_neutralised,  ///< must pass
  runnable,                ///< looks for suspects whose neutralising breaks the run, or whether anything runs at all
  search,
  measurement,  ///< how large its difference is counts, so that it runs to its end
  signature,    ///< only its first steps are of use: no verdict is wanted
  certificate,  ///< proves a claim about the answer
};

/// One set of neutralised suspects, to be judged.
struct Trial {
  Neutralised neutralised;
  Purpose purpose = Purpose::search;
  std::string reason;  ///< why this trial, in words with suspect ids as #3; shown by the driver with their names
};

/// How far a run is off. Absent or empty: not known.
struct Measured {
  std::vector<double> signature;         ///< Evidence::signature
  std::optional<double> difference;      ///< Evidence::delta
  std::optional<double> standard_error;  ///< of difference; 0: exact
};

/// What decided a verdict where that is another metric than the first one.
struct DecidedBy {
  std::string metric;
  std::optional<double> delta;  ///< as Judged::delta, of this metric
};

/// What judging a trial came to: the judge says it, the journal keeps it, reports show it.
struct Judged {
  Verdict verdict = Verdict::unresolved;
  std::string reason;                    ///< the judge's code (driver/judge/verdict.hpp), or why unresolved
  std::string text;                      ///< one sentence for people
  std::optional<double> delta;           ///< signed relative difference in the window that the verdict rests on, always of
                                         ///< the first metric
  std::optional<double> standard_error;  ///< of delta; 0 when the difference is exact
  std::optional<DecidedBy> decided_by;   ///< empty: the first metric
  double p_bad = 0.5;                    ///< probability that the true difference is beyond the target
  std::optional<std::int64_t> comparable_until;  ///< it agrees up to this step, and behind it the log cannot tell
  std::vector<double> signature;  ///< differences of the first steps of its first attempt, in units of what healthy
                                  ///< runs differ by; empty: none
};

/// How far a run is off over one part of it.
struct Size {
  std::optional<double> delta, standard_error;
};

/// One run, as the search is told of it. Not a Judged, as it may have been cut short or only looked at.
struct Evidence {
  Neutralised neutralised;
  Verdict verdict = Verdict::unresolved;
  double p_bad = 0.5;                    ///< probability that the true state is a failure, from the judge
  std::optional<double> delta;           ///< measured signed relative difference; absent when unresolved
  std::optional<double> standard_error;  ///< of delta; 0: exact
  std::vector<double> signature = {};    ///< relative differences of its first steps, in units of what healthy runs differ
                                         ///< by, always of the same steps; empty: not known
  bool judged = true;                    ///< false: it ran, but only its signature was looked at
  std::optional<Size> by_verdict = {};   ///< over the part that the verdict is about, where that is not the part of `delta`,
                                         ///< which is the same for all runs

  bool only_signature() const { return !judged && !signature.empty(); }
  Measured measured() const { return {signature, delta, standard_error}; }
  Size judged_size() const { return by_verdict.value_or(Size{delta, standard_error}); }
};

}  // namespace bisectd::strategies
