#include "driver/commands/align_dumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "driver/align/comparison.hpp"
#include "driver/align/dump.hpp"
#include "driver/align/dump_folders.hpp"
#include "driver/commands/align_result.hpp"
#include "driver/commands/align_text.hpp"
#include "driver/commands/command.hpp"
#include "driver/keep/run_directory.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {
namespace {

/// Of several ranks the first that says most: that the sides start otherwise, else that one deviates.
const align::Comparison& telling(const std::vector<align::Comparison>& ranks) {
  const auto unequal = std::ranges::find_if(ranks, [](const auto& rank) { return !rank.unequal.empty(); });
  if (unequal != ranks.end()) return *unequal;
  const auto deviates = std::ranges::find_if(ranks, &align::Comparison::deviates);
  return deviates != ranks.end() ? *deviates : ranks.front();
}

std::string remarks_on(const align::DumpPairs& dumps, const std::vector<align::Comparison>& ranks) {
  std::string text;
  if (!dumps.step.empty())
    text += fmt::format("Of several steps {} was compared: after it the sides have other weights.\n",
                        reports::plain(dumps.step));
  if (ranks.size() == 1) return text;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += fmt::format("{}: {}{}\n", reports::plain(dumps.pairs[i].rank), align_verdict(ranks[i]),
                        &ranks[i] == &telling(ranks) ? ", shown here and in align.json" : "");
  return text;
}

align::Comparison compared(const align::DumpPair& pair, double bound) {
  const std::array reference{align::read_dump(pair.reference)};
  try {
    return align::compare(reference, align::read_dump(pair.subject), bound);
  } catch (const std::runtime_error& error) {
    throw UsageError(fmt::format("{} and {}: {}", pair.reference.string(), pair.subject.string(), error.what()));
  }
}

}  // namespace

ExitCode align_dumps(const AlignDumpsOptions& options) {
  align::DumpPairs dumps;
  std::vector<align::Comparison> ranks;
  try {
    dumps = align::find_dumps(options.reference, options.subject);
    for (const align::DumpPair& pair : dumps.pairs) ranks.push_back(compared(pair, options.bound));
  } catch (const std::runtime_error& error) {  // ours, and a file that cannot be read
    throw UsageError(error.what());
  }
  try {
    const auto directory = keep::RunDirectory::create(options.out, "dumps-align");
    return conclude_align(
        telling(ranks),
        {.title = "dumps", .folder = directory.folder(), .remarks = remarks_on(dumps, ranks), .json = options.json});
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("cannot write into {}: {}", options.out, error.code().message()));
  }
}

}  // namespace bisectd::driver::commands
