// Bookkeeping of told trials. Every new or revised verdict is compared with all opposite ones, so that a contradiction
// is known as soon as it is told.
#include "strategies/evidence_log.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies {
namespace {

// A contradiction is worth three judged trials of either set; five when some of them say nothing. With noise three more
// than that.
constexpr int kJudgedEnough = 3;
constexpr int kToldEnough = 5;
constexpr int kMoreWithNoise = 3;

constexpr double kCertainBits = 60;  // of one verdict that cannot be wrong

// Appends the hash of each block instead of storing it.
class HashIterator {
 public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;
  explicit HashIterator(std::size_t& hash) : hash_(&hash) {}
  HashIterator& operator*() { return *this; }
  HashIterator& operator++() { return *this; }
  HashIterator operator++(int) { return *this; }
  HashIterator& operator=(std::uint64_t block) {
    *hash_ = (*hash_ ^ block) * 0x9e3779b97f4a7c15u;
    *hash_ ^= *hash_ >> 29;
    return *this;
  }

 private:
  std::size_t* hash_;
};

}  // namespace

EvidenceLog::EvidenceLog(std::size_t suspects, double flip, double error)
    : suspects_(suspects), flip_(flip), needed_bits_(flip <= 0 ? kCertainBits / 2 : log2_exact((1 - error) / error)) {}

// The judge may be less sure than usual, but not surer than verdicts are in general; unless it is certain (a NaN).
double EvidenceLog::doubt(const Evidence& evidence) const {
  if (evidence.verdict == Verdict::unresolved) return 0.5;
  if (exact()) return evidence.verdict == Verdict::inconclusive ? 0.5 : 0.0;
  const double good = 1 - evidence.p_bad;
  const double judge = evidence.verdict == Verdict::fail   ? good
                       : evidence.verdict == Verdict::pass ? evidence.p_bad
                                                           : std::min(good, evidence.p_bad);
  return judge <= 0 ? 0.0 : std::clamp(judge, flip_, 0.5);
}

std::size_t EvidenceLog::Hash::operator()(const SuspectSet& set) const {
  std::size_t hash = set.size();
  boost::to_block_range(set, HashIterator(hash));
  return hash;
}

EvidenceLog::Change EvidenceLog::add(const Evidence& evidence) {
  if (evidence.neutralised.size() != suspects_) throw std::invalid_argument("evidence is not over these suspects");
  const SuspectSet active = ~evidence.neutralised;
  const auto [at, fresh] = index_.try_emplace(active, entries_.size());
  if (fresh) entries_.push_back({.active = active});
  LogEntry& entry = entries_[at->second];
  const Verdict before = entry.verdict;
  switch (evidence.verdict) {
    case Verdict::pass: ++entry.passes; break;
    case Verdict::fail: ++entry.fails; break;
    case Verdict::inconclusive: ++entry.inconclusive; break;
    case Verdict::unresolved: ++entry.unresolved; break;
  }
  const bool bad =
      evidence.verdict == Verdict::fail || (evidence.verdict == Verdict::inconclusive && evidence.p_bad > 0.5);
  const double wrong = doubt(evidence);
  const double bits = wrong <= 0 ? kCertainBits : log2_exact((1 - wrong) / wrong);
  entry.bits += bad ? bits : -bits;
  entry.verdict = entry.bits >= needed_bits_                     ? Verdict::fail
                  : entry.bits <= -needed_bits_                  ? Verdict::pass
                  : entry.judged() > 0 || entry.inconclusive > 0 ? Verdict::inconclusive
                                                                 : Verdict::unresolved;
  const Verdict now = entry.verdict;
  const bool changed = fresh || now != before;
  if (changed && now == Verdict::fail) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].verdict == Verdict::pass && active.is_subset_of(entries_[i].active))
        contradictions_.push_back({.fail = at->second, .pass = i});
  } else if (changed && now == Verdict::pass) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].verdict == Verdict::fail && entries_[i].active.is_subset_of(active))
        contradictions_.push_back({.fail = i, .pass = at->second});
  }
  return {.entry = at->second, .before = before, .fresh = fresh};
}

const LogEntry* EvidenceLog::find(const SuspectSet& active) const {
  const auto at = index_.find(active);
  return at == index_.end() ? nullptr : &entries_[at->second];
}

std::optional<Contradiction> EvidenceLog::contradiction() const {
  for (const Contradiction& pair : contradictions_)
    if (entries_[pair.fail].verdict == Verdict::fail && entries_[pair.pass].verdict == Verdict::pass) return pair;
  return std::nullopt;
}

bool EvidenceLog::worth_repeating(const LogEntry& entry) const {
  const int more = exact() ? 0 : kMoreWithNoise;
  const bool open = entry.verdict == Verdict::inconclusive || entry.judged() < kJudgedEnough + more;
  return entry.told() < kToldEnough + more && open;
}

}  // namespace bisectd::strategies
