#include "driver/launch/device_pool.hpp"

#include <set>
#include <stdexcept>

#include "tests/catch.hpp"

using namespace bisectd;
using driver::launch::DevicePool;

namespace {
configs::Devices devices(std::vector<int> ids, int per_trial, std::string variable = "ASCEND_RT_VISIBLE_DEVICES") {
  configs::Devices made;
  made.kind = "npu";
  made.ids = std::move(ids);
  made.per_trial = per_trial;
  made.visible_variable = std::move(variable);
  return made;
}
}  // namespace

TEST_CASE("a pool cuts its ids into slots, ascending") {
  DevicePool pool(devices({7, 2, 5, 4}, 2));
  CHECK(pool.size() == 2);
  const auto first = pool.acquire();
  const auto second = pool.acquire();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->visible == "2,4");
  CHECK(second->visible == "5,7");
  CHECK(second->ids == std::vector<int>{5, 7});
  CHECK_FALSE(pool.acquire());
}

TEST_CASE("{devices} counts from 0 behind a visible-devices variable only") {
  CHECK(DevicePool(devices({4, 5, 6, 7}, 2)).acquire()->devices == "0,1");
  DevicePool plain(devices({4, 5, 6, 7}, 2, ""));
  CHECK(plain.acquire()->devices == "4,5");
  CHECK(plain.acquire()->devices == "6,7");
}

TEST_CASE("devices that are to be avoided are given out only where no other is free") {
  DevicePool pool(devices({0, 1, 2, 3, 4, 5}, 2));
  const auto other = pool.acquire({"npu 0,1", "npu 4,5"});
  REQUIRE(other);
  CHECK(other->name == "npu 2,3");
  CHECK(pool.acquire({"npu 0,1", "npu 4,5"})->name == "npu 0,1");
  CHECK(pool.acquire({"npu 4,5"})->name == "npu 4,5");
  CHECK_FALSE(pool.acquire({"npu 4,5"}));
  pool.release(*other);
  CHECK(pool.acquire({"npu 2,3"})->name == "npu 2,3");
}

TEST_CASE("slots without a device, and those of a scheduler, have no name that could be avoided") {
  CHECK(DevicePool(devices({}, 1)).acquire({"npu"})->name.empty());
  configs::Side side;
  side.devices = devices({}, 2);
  side.slurm.emplace().max_jobs = 2;
  DevicePool pool(side);
  CHECK(pool.acquire({"npu 0,1"})->number == 0);
  CHECK(pool.acquire({"npu 0,1"})->name.empty());
}
