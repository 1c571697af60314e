#include "driver/read/logged_values.hpp"

#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "tests/catch.hpp"

namespace fs = std::filesystem;
using driver_values = std::vector<std::string>;
using bisectd::driver::read::logged_values;

TEST_CASE("different values come once, in the order they are first logged, and from all files") {
  const fs::path file = fs::temp_directory_path() / ("bisectd-values-" + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary) << "use_amp: True\nlr: 0.1\r\nlr: 0.2\nlr: 0.1\n\x1b[31muse_amp: False\x1b[0m";
  const std::vector<fs::path> files{fs::path("/nowhere"), file};
  CHECK(logged_values(files, R"(use_amp: (?P<value>\w+))", 20) == driver_values{"True", "False"});
  CHECK(logged_values(files, R"(lr: (?P<value>\S+))", 20) == driver_values{"0.1", "0.2"});
  CHECK(logged_values(files, R"(lr: (?P<value>\S+))", 1) == driver_values{"0.1"});
  CHECK(logged_values(files, R"(seed: (?P<value>\d+))", 20).empty());
  CHECK(logged_values(files, R"(lr: (?P<value>\S+))", 20, "lr: 0.2") == driver_values{"0.1"});  // behind that line
  CHECK(logged_values(files, R"(lr: (?P<value>\S+))", 20, "lr: 0.3").empty());
  CHECK_THROWS_AS(logged_values(files, "lr", 1), std::invalid_argument);
  fs::remove(file);
}
