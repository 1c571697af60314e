// Counts of one entry against limits. A run that breaks mostly breaks again; a vote is worth less the more there are.
#include "strategies/patience.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::strategies {
namespace {

// Halved and doubled: docs/search_figures.md, "How much the other constants matter".
constexpr int kMostSilent = 3;  // trials of one set that all broke, or said nothing although no verdict is ever wrong
constexpr int kMostVotes = 9;   // of one set, with noise; with 5 a quarter of the answers was lost
constexpr int kVotesOfEnd = 3;  // of everything neutralised, with noise
// Four votes that came to less than a bit would not come to the eight that decide in nine: searches where all passes were
// at the edge of the target asked 18 such sets nine times each, 130 trials for six suspects.
constexpr int kVotesInVain = 4;
constexpr double kInVain = 1;  // bits

// A contradiction is worth three judged trials of either set; five when some of them say nothing. With noise three more
// than that.
constexpr int kJudgedEnough = 3, kToldEnough = 5, kMoreWithNoise = 3;

// Four tries of each of the 24 sets that `ordered` asks for want of a better one (kMostOrders), or six rounds of all slots;
// of these one in ten may say something: a search that noise hid (60 suspects, three causes) went on to 413 trials for no
// answer when a verdict now and then began the count anew.
constexpr std::size_t kMostSilentTrials = 96, kMostSilentRounds = 6, kSpokenAtMost = 10;

// A third of that, so that the engine that goes on has its own tries left.
constexpr std::size_t kMostSilentSets = 32, kMostRoundsOfSets = 4;

/// Where no verdict is ever wrong, a pass of what passed before is no news: where noise hides most sets, such passes alone
/// kept a search going beyond 900 trials.
bool says_something_new(const EvidenceLog& log, const Told& told) {
  return !log.silent(told) && !(log.exact() && told.passed_before);
}

}  // namespace

bool worth_asking(const EvidenceLog& log, const LogEntry* entry) {
  if (!entry) return true;
  if (decided(entry->verdict) || (log.exact() && entry->repeats_itself)) return false;
  const bool breaks = entry->judged() + entry->inconclusive == 0;
  const bool in_vain = entry->judged() == 0 && std::abs(entry->bits) < kInVain;
  return entry->told() < (breaks || log.exact() ? kMostSilent : in_vain ? kVotesInVain : kMostVotes);
}

bool hidden_by_noise(const EvidenceLog& log, const LogEntry* entry) {
  return entry && entry->verdict == Verdict::inconclusive && entry->inconclusive > 0 && !worth_asking(log, entry);
}

bool worth_settling(const EvidenceLog& log, const LogEntry& entry) {
  const int more = log.exact() ? 0 : kMoreWithNoise;
  const bool open = entry.verdict == Verdict::inconclusive || entry.judged() < kJudgedEnough + more;
  return entry.told() < kToldEnough + more && open;
}

bool is_disputed(const EvidenceLog& log, const LogEntry& entry) {
  return log.exact() && entry.disputed() && entry.verdict == Verdict::inconclusive && worth_settling(log, entry);
}

bool may_stay_open(const EvidenceLog& log, const LogEntry& end) {
  return !log.exact() && end.verdict == Verdict::inconclusive && end.told() >= kVotesOfEnd;
}

bool all_is_silent(const EvidenceLog& log, std::size_t slots, const LogEntry* known) {
  const std::size_t most = std::max(kMostSilentTrials, kMostSilentRounds * slots);
  std::size_t looked_at = 0, spoken = 0;
  for (auto told = log.told().rbegin(); told != log.told().rend() && looked_at < most; ++told) {
    if (!told->entry || known == &log.entries()[*told->entry]) continue;
    ++looked_at;
    spoken += says_something_new(log, *told);
  }
  return looked_at == most && spoken * kSpokenAtMost <= most;
}

std::size_t most_silent_sets(std::size_t slots) { return std::max(kMostSilentSets, kMostRoundsOfSets * slots); }

}  // namespace bisectd::strategies
