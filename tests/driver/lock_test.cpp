#include "driver/keep/lock.hpp"

#include <unistd.h>

#include <optional>
#include <string>

#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

using bisectd::driver::keep::Lock;
using bisectd::driver::keep::Locked;

TEST_CASE("a second driver is kept out and told who holds the lock; it may in when the first is gone") {
  const bisectd::tests::TemporaryFolder folder;
  std::optional<Lock> first(folder.path());
  try {
    const Lock second(folder.path());
    FAIL("two locks at once");
  } catch (const Locked& error) {
    CHECK(std::string(error.what()).find(std::to_string(::getpid())) != std::string::npos);
  }
  first.reset();
  CHECK_NOTHROW(Lock(folder.path()));
}
