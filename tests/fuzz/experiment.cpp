// Fuzzes the experiment file: whatever the bytes, it is loaded, and written out as it was understood, or every problem is
// told in text that is safe to print.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "configs/loader.hpp"
#include "configs/printable.hpp"
#include "configs/resolved.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace bisectd::configs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  try {
    if (resolved_yaml(load_experiment(file.with({reinterpret_cast<const char*>(data), size}))).empty()) std::abort();
  } catch (const ConfigError& error) {
    std::string shown = render(error);
    if (error.problems().empty() || !shown.ends_with('\n')) std::abort();
    std::erase(shown, '\n');
    if (printable(shown) != shown) std::abort();
  }
  return 0;
}
