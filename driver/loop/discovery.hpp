// Who the suspects are: what a run of the subject really uses, and what its framework names.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Members by family.
struct SeenMembers {
  neutralise::Discovered members;              ///< that runs use
  neutralise::Discovered never_off;            ///< that they say cannot be neutralised
  std::map<std::string, std::string> reasons;  ///< of these, by label
};

/// What the framework names; empty if no family asks it. Throws Infrastructure.
neutralise::Discovered query(Run& run);

/// The run that shows what the subject uses.
TrialPlan plan_discovery(const Run& run);

/// Lists the suspects, and journals them: what the framework named and what the discovery run shows, if there is one. Where
/// that broke as the subject does, further ones show what it did not come to. Whether the search may take verdicts for
/// exact. Throws Infrastructure, Interrupted.
bool list_suspects(Run& run, neutralise::Discovered named, std::optional<FinishedTrial> discovery);

/// The members that a run of the subject uses. Starts nothing else. Throws Infrastructure, Interrupted.
SeenMembers discover(Run& run);

}  // namespace bisectd::driver
