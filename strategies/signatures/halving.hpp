// Which sets to run next: those that split what is believed of every cause in half, all causes at once.
#pragma once

#include <span>
#include <vector>

#include "strategies/random.hpp"
#include "strategies/suspect.hpp"
#include "strategies/signatures/explanation.hpp"

namespace bisectd::strategies::signatures {

/// Appends sets to `batch` until it has `count`; those in it run anyway. None that is in `known`, or that holds a suspect
/// which cannot matter in it. Suspects that no hypothesis names are active in half of the sets; those in `quiet` in none.
void split(const std::vector<Cause>& causes, const SuspectSet& quiet, std::size_t count, std::span<const SuspectSet> known,
           std::vector<SuspectSet>& batch, Random& random);

}  // namespace bisectd::strategies::signatures
