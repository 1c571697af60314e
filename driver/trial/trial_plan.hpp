// What one trial is to launch and how its attempts are to be repeated. Plain data.
#pragma once

#include <string>

#include "driver/trial/attempts.hpp"
#include "reports/role.hpp"
#include "strategies/evidence.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::driver {

using reports::Role;

/// Reason of a trial that is not judged: its curves are there, which is all that was wanted.
inline constexpr const char* kMeasured = "measured";

/// What a trial asks: planned for a new one, read from the journal for an earlier one.
struct TrialQuestion {
  std::size_t number = 0;  ///< given by Trials
  Role role = Role::search;
  strategies::Neutralised neutralised;
  std::string reason;       ///< why this trial, with names; where one set has several trials of a role (controls, ladders,
                            ///< soaks), a resumed run knows each of them by these very words
  neutralise::Rungs rungs;  ///< the values by which it neutralises ladders
  int search = 0;           ///< of the run's searches the one that it is told to: 1, or 2 among parts; 0: to none
};

struct TrialPlan : TrialQuestion, AttemptPlan {
  int attempts = 1;      ///< whole curves wanted before it is judged
  int max_attempts = 1;  ///< whole curves at most, while inconclusive
  int crash_retries = 0;
};

}  // namespace bisectd::driver
