// Fuzzes the other files that bisectd reads back or is given: baselines, results of past runs, recordings and dumps of
// `align`, and what tells odds. Whatever the bytes, they are read, or refused by the exception that is caught where they
// are asked for. The first byte chooses the kind.
#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "configs/loader.hpp"
#include "driver/align/comparison.hpp"
#include "driver/align/dump.hpp"
#include "driver/align/odds_file.hpp"
#include "driver/align/recording.hpp"
#include "driver/baseline/baseline.hpp"
#include "driver/keep/journal.hpp"
#include "driver/record/past_results.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/summed.hpp"

namespace {

using namespace bisectd;
using namespace bisectd::driver;

constexpr double kBound = 0.01;  // of a comparison, as by default

/// What is written again must be read as the same. The bytes get the digest that they must end in.
void read_baseline(std::string_view bytes) {
  std::string text(bytes.substr(0, bytes.rfind("  \"digest\": \"")));
  text += fmt::format("  \"digest\": \"{:016x}\"\n}}\n", XXH3_64bits(text.data(), text.size()));
  try {
    const Baseline baseline = parse_baseline(text);
    if (curves_of(baseline).empty()) std::abort();
    const std::string again = baseline_text(baseline);
    if (baseline_text(parse_baseline(again)) != again) std::abort();
  } catch (const BadBaseline&) {
  }
}

void read_past_results(MemoryFile& file, std::string_view bytes) {
  try {
    (void)read_results(file.with(summed(bytes)));
  } catch (const keep::JournalDamaged&) {
  }
}

void compare_runs(std::span<const align::Recording> runs) {
  for (const align::Recording& subject : runs) (void)align::compare(runs, subject, kBound);
}

void read_recording(MemoryFile& file, std::string_view bytes) {
  try {
    compare_runs(align::read_recordings(file.with(bytes)));
  } catch (const std::runtime_error&) {
  }
}

void read_dump(MemoryFile& file, std::string_view bytes) {
  try {
    compare_runs(std::array{align::read_dump(file.with(bytes))});
  } catch (const std::runtime_error&) {
  }
}

void read_odds(MemoryFile& file, std::string_view bytes) {
  configs::Experiment experiment;
  experiment.suspects["ops"].likely_from = configs::Placed<std::string>{file.with(bytes), {}};
  try {
    align::read_odds_files(experiment);
  } catch (const configs::ConfigError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  static MemoryFile file;
  switch (data[0] % 5) {
    case 0: read_baseline(bytes); break;
    case 1: read_past_results(file, bytes); break;
    case 2: read_recording(file, bytes); break;
    case 3: read_dump(file, bytes); break;
    default: read_odds(file, bytes);
  }
  return 0;
}
