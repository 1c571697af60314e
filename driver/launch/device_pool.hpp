// Shares out one side's devices: a slot holds the devices of one attempt. Pure; talks to no device.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "configs/experiment.hpp"

namespace bisectd::driver::launch {

/// The devices of one attempt, in the spellings it needs.
struct Slot {
  std::size_t number = 0;  ///< 0 .. slots-1
  std::vector<int> ids;    ///< physical ids, ascending; empty for a slot without a device
  std::string visible;     ///< for the visible-devices variable: "2,3". Ascending and without spaces, because
                           ///< ASCEND_RT_VISIBLE_DEVICES silently ignores what follows the first bad character
  std::string devices;     ///< for {devices}, as the training counts: "0,1" when a visible-devices variable hides the
                           ///< others and numbering starts at 0, else the physical ids
  std::string name;        ///< for people and the journal: "npu 2,3"; empty without a device, and for a batch job, whose
                           ///< scheduler chooses
};

/// What no other training may use meanwhile, as words: "npu 3"; the kind alone where devices are not numbered, because then
/// any of them may be meant.
std::set<std::string> device_names(const configs::Devices& devices);

/// `ids.size() / per_trial` slots over consecutive ids; what does not fill a slot stays unused. Without ids there is
/// one slot without a device.
class DevicePool {
 public:
  explicit DevicePool(const configs::Devices& devices);
  /// The side's devices; where attempts are batch jobs, a slot for each job that may be submitted at the same time.
  explicit DevicePool(const configs::Side& side);

  std::size_t size() const { return slots_.size(); }
  std::size_t free() const;

  /// The free slot with the lowest number, so that a run on an idle machine always uses the same devices; one whose name is
  /// in `other_than` only if no other is free.
  std::optional<Slot> acquire(const std::set<std::string>& other_than = {});

  /// Gives a slot back. Throws std::logic_error when it was not taken.
  void release(const Slot& slot);

 private:
  std::vector<Slot> slots_;
  std::vector<bool> taken_;
};

}  // namespace bisectd::driver::launch
