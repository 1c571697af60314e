// What bisectd does with one experiment, from the first launch to the conclusion. Reads like the drawing in
// ARCHITECTURE.md.
#pragma once

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// The whole search. To the end, or throws Interrupted; reports are on disk in any case.
const reports::Record& run_loop(Run& run);

/// What a person tries by hand: the references, then the subject with these suspects neutralised (those that have their
/// safe value anyway are left out; of a ladder any value names it). The trial is the record's last one; its notes say
/// which suspects left no trace of being off. Throws Interrupted.
const reports::Record& run_one_trial(Run& run, const std::vector<configs::MemberLabel>& off);

}  // namespace bisectd::driver
