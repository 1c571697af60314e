// What bisectd does with one experiment, from the first launch to the conclusion. Reads like the drawing in
// ARCHITECTURE.md.
#pragma once

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// The whole search. To the end, or throws Interrupted; reports are on disk in any case. Returns the record that they show.
reports::Record run_loop(Run& run);

/// One trial, and the record without trials.
struct TriedByHand {
  reports::Record frame;
  reports::Trial trial;  ///< its notes say which suspects left no trace of being off
};

/// What a person tries by hand: the references, then the subject with these suspects neutralised (those that have their
/// safe value anyway are left out; of a ladder any value names it). Throws Interrupted, Infrastructure.
TriedByHand run_one_trial(Run& run, const std::vector<configs::MemberLabel>& off);

}  // namespace bisectd::driver
