// What a standard that others sign by says of a run (configs/standards.hpp). Said beside the verdict; it changes none.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "configs/standards.hpp"
#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

struct ByStandard {
  std::optional<bool> met;  ///< empty: it says nothing of such a run
  std::string text;         ///< one sentence for people, with the figures
};

/// Values of the same steps, at least one, as many on both sides.
ByStandard by_standard(const configs::Standard& standard, std::span<const double> reference,
                       std::span<const double> candidate);

/// The standard that `accept` names, for a whole run beside the mean of the references that were not moved; nothing where
/// none is named.
std::optional<ByStandard> by_standard(const Reference& reference, const Curve& candidate);

}  // namespace bisectd::driver::judge
