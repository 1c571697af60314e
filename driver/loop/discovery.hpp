// Who the suspects are: what a run of the subject really uses, and what its framework names.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/loop/run.hpp"
#include "driver/neutralise/catalogue.hpp"

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
/// that broke as the subject does, further ones show what it did not come to. Throws Infrastructure, Interrupted.
void list_suspects(Run& run, neutralise::Discovered named, std::optional<FinishedTrial> discovery);

/// The members that a run of the subject uses. Starts nothing else. Throws Infrastructure, Interrupted.
SeenMembers discover(Run& run);

/// A warning, with its place and the nearest right name, for each name in `exclude`, `likely` and `price` of a
/// family that discovers its members and is in none of `found`: most likely it is misspelt. The loader sees to other
/// families, and to what is excluded and stands in the family's table of names.
std::vector<configs::Placed<std::string>> unseen_names(const configs::Experiment& experiment,
                                                       std::span<const neutralise::Discovered> found);

}  // namespace bisectd::driver
