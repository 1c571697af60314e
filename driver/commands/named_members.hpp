// The members that a person names on a command line, NAME or FAMILY:NAME, as part of an experiment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "configs/experiment.hpp"

namespace bisectd::driver::commands {

struct NamedMembers {
  std::vector<configs::MemberLabel> off;                 ///< what is to be neutralised, in the order of the families
  std::map<std::string, std::string> values;             ///< of each ladder among them, by the ladder's name
  std::vector<configs::MemberLabel> unsure;              ///< those of which only a run can tell that they exist
  std::map<std::string, configs::Selection> selections;  ///< `suspects` of a run in which they are neutralised; families
                                                         ///< of what is unsure discover their members
};

/// Throws UsageError and configs::ConfigError for a word that names nothing, or two things, and for members that cannot be
/// neutralised together; with the nearest right word where there is one.
NamedMembers named_members(const configs::Experiment& experiment, const std::vector<std::string>& words);

}  // namespace bisectd::driver::commands
