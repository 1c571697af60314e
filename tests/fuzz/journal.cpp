// Fuzzes the journal and what is made of its records: whatever the bytes, a history comes out of them or JournalDamaged.
// With an even first byte they are the file; with an odd one its lines get the checksum first that a line must have, so that
// the records are looked at, too.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "driver/keep/journal.hpp"
#include "driver/record/history.hpp"

namespace {

using namespace bisectd::driver;

/// {...} -> {...,"sum":"0123456789abcdef"}; other lines stay as they are.
std::string summed(std::string_view lines) {
  std::string all;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.ends_with('}')) {
      const std::string_view body = line.substr(0, line.size() - 1);
      all += fmt::format("{},\"sum\":\"{:016x}\"}}\n", body, XXH3_64bits(body.data(), body.size()));
    } else {
      all.append(line).push_back('\n');
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string content = data[0] % 2 == 1 ? summed(bytes) : std::string(bytes);
  static const int file = memfd_create("journal", MFD_CLOEXEC);
  static const std::string name = "/proc/self/fd/" + std::to_string(file);
  if (file < 0 || ftruncate(file, 0) != 0 ||
      pwrite(file, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
    std::abort();
  try {
    const History history = read_history(name);
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
