// Fuzzes the journal and what is made of its records: whatever the bytes, a history comes out of them or JournalDamaged.
// With an even first byte they are the file; with an odd one its lines get the checksum first that a line must have, so that
// the records are looked at, too.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "driver/keep/journal.hpp"
#include "driver/record/history.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/summed.hpp"

using namespace bisectd::driver;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string content = data[0] % 2 == 1 ? summed(bytes) : std::string(bytes);
  static MemoryFile file;
  try {
    const History history = read_history(file.with(content));
    if (history.whole_bytes > content.size()) std::abort();
    (void)history.outcome();
    for (const PastTrial& trial : history.trials) {
      (void)last_ended(trial);
      (void)judged_trial(history, trial.neutralised);
    }
  } catch (const keep::JournalDamaged&) {
  }
  return 0;
}
