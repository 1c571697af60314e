// What the user knows about suspects and each other. Plain data.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "configs/place.hpp"

namespace bisectd::configs {

/// A member as the reports say it, `family:name`.
struct MemberLabel {
  std::string family, name;
  auto operator<=>(const MemberLabel&) const = default;
};

/// In how many ways the exclusive groups may choose together. Each is searched as an end of its own.
inline constexpr std::size_t kMostChoices = 64;

struct Relations {
  /// The left one matters only while all of the right ones are active. Nobody needs himself, however many steps away.
  std::map<MemberLabel, std::vector<MemberLabel>> only_with;
  std::vector<std::vector<MemberLabel>> exclusive;  ///< of each group, two or more, at most one can be neutralised
  std::map<MemberLabel, Place> named_at;            ///< where each of all these is named first
};

}  // namespace bisectd::configs
