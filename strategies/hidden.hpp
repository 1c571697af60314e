// What the noise hides: a trial that would decide, and stays undecided.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "strategies/evidence_log.hpp"

namespace bisectd::strategies {

struct Hidden {
  Neutralised neutralised;
  int trials = 0;
  std::optional<double> difference;  ///< measured on average, relative and signed
  double error = 0;                  ///< standard error of one trial: repeats may have their error in common
  std::optional<double> as_is = {};  ///< what the subject as it is is off by

  /// A relative difference of this size may be in it.
  double could_hide() const { return std::abs(difference.value_or(0)) + 2 * error; }

  /// A target, rounded up to two digits, beyond which nothing could be hidden, if the subject as it is is off by four times
  /// that, twice what a fail needs in any case. Nothing: there is none, or it is not known.
  std::optional<double> deciding_target() const;
};

/// `as_is`: what the subject as it is is off by.
Hidden hidden_in(const EvidenceLog& log, const LogEntry& entry, std::optional<double> as_is = {});

/// As #3, for the driver to put names in.
std::string list_of(const std::vector<SuspectId>& ids, const char* between);

/// "with #3 and #7 neutralised"; of many only how many they are.
std::string with_neutralised(const Neutralised& off);

/// One sentence, with suspects as #3.
std::string text_of(const Hidden& hidden);

}  // namespace bisectd::strategies
