// See the header.
#include "driver/launch/device_pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "driver/launch/job_script.hpp"

namespace bisectd::driver::launch {

std::set<std::string> device_names(const configs::Devices& devices) {
  std::set<std::string> names;
  if (devices.ids.empty()) names.insert(devices.kind);
  for (const int id : devices.ids) names.insert(fmt::format("{} {}", devices.kind, id));
  return names;
}

DevicePool::DevicePool(const configs::Devices& devices) {
  std::vector<int> ids = devices.ids;
  std::sort(ids.begin(), ids.end());
  const auto per_slot = static_cast<std::size_t>(std::max(devices.per_trial, 1));
  if (ids.empty()) slots_.emplace_back();
  for (std::size_t first = 0; first + per_slot <= ids.size(); first += per_slot) {
    Slot slot;
    slot.number = slots_.size();
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    slot.ids.assign(begin, begin + static_cast<std::ptrdiff_t>(per_slot));
    slot.visible = fmt::format("{}", fmt::join(slot.ids, ","));
    std::vector<int> logical(per_slot);
    std::iota(logical.begin(), logical.end(), 0);
    slot.devices = devices.visible_variable.empty() ? slot.visible : fmt::format("{}", fmt::join(logical, ","));
    slot.name = fmt::format("{} {}", devices.kind, slot.visible);
    slots_.push_back(std::move(slot));
  }
  taken_.assign(slots_.size(), false);
}

DevicePool::DevicePool(const configs::Side& side) : DevicePool(side.slurm ? configs::Devices{} : side.devices) {
  if (!side.slurm) return;
  std::vector<std::string> visible, logical;
  for (int n = 0; n < side.devices.per_trial; ++n) {
    visible.push_back(device_of_job(n));
    logical.push_back(std::to_string(n));
  }
  slots_.assign(static_cast<std::size_t>(side.slurm->max_jobs), {});
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].number = i;
    if (side.slurm->gres) slots_[i].visible = fmt::format("{}", fmt::join(visible, ","));
    slots_[i].devices =
        side.devices.visible_variable.empty() ? slots_[i].visible : fmt::format("{}", fmt::join(logical, ","));
  }
  taken_.assign(slots_.size(), false);
}

std::size_t DevicePool::free() const { return static_cast<std::size_t>(std::count(taken_.begin(), taken_.end(), false)); }

std::optional<Slot> DevicePool::acquire(const std::set<std::string>& other_than) {
  const Slot* best = nullptr;
  for (const Slot& slot : slots_)
    if (!taken_[slot.number] && (!best || (other_than.contains(best->name) && !other_than.contains(slot.name))))
      best = &slot;
  if (!best) return std::nullopt;
  taken_[best->number] = true;
  return *best;
}

void DevicePool::release(const Slot& slot) {
  if (slot.number >= taken_.size() || !taken_[slot.number])
    throw std::logic_error(fmt::format("device slot {} was released but not taken", slot.number));
  taken_[slot.number] = false;
}

}  // namespace bisectd::driver::launch
