// Fuzzes the experiment file: whatever the bytes, it is loaded, and written out as it was understood, or every problem is
// told in text that is safe to print.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "configs/loader.hpp"
#include "configs/printable.hpp"
#include "configs/resolved.hpp"

using namespace bisectd::configs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("experiment", MFD_CLOEXEC);
  static const std::string name = "/proc/self/fd/" + std::to_string(file);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  try {
    if (resolved_yaml(load_experiment(name)).empty()) std::abort();
  } catch (const ConfigError& error) {
    std::string shown = render(error);
    if (error.problems().empty() || !shown.ends_with('\n')) std::abort();
    std::erase(shown, '\n');
    if (printable(shown) != shown) std::abort();
  }
  return 0;
}
