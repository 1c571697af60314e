// Bookkeeping of told trials. Every new or revised verdict is compared with all opposite ones, so that a contradiction
// is known as soon as it is told.
#include "strategies/evidence_log.hpp"

#include <iterator>
#include <stdexcept>

namespace bisectd::strategies {
namespace {

// A contradiction is worth three judged trials of either set; five when some of them say nothing.
constexpr int kJudgedEnough = 3;
constexpr int kToldEnough = 5;

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

Verdict LogEntry::verdict() const {
  if (passes > fails) return Verdict::pass;
  if (fails > passes) return Verdict::fail;
  return tied() || inconclusive > 0 ? Verdict::inconclusive : Verdict::unresolved;
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
  const Verdict before = entry.verdict();
  switch (evidence.verdict) {
    case Verdict::pass: ++entry.passes; break;
    case Verdict::fail: ++entry.fails; break;
    case Verdict::inconclusive: ++entry.inconclusive; break;
    case Verdict::unresolved: ++entry.unresolved; break;
  }
  const Verdict now = entry.verdict();
  const bool changed = fresh || now != before;
  if (changed && now == Verdict::fail) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].verdict() == Verdict::pass && active.is_subset_of(entries_[i].active))
        contradictions_.push_back({.fail = at->second, .pass = i});
  } else if (changed && now == Verdict::pass) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].verdict() == Verdict::fail && entries_[i].active.is_subset_of(active))
        contradictions_.push_back({.fail = i, .pass = at->second});
  }
  return {.entry = at->second, .fresh = fresh, .revised = !fresh && changed};
}

const LogEntry* EvidenceLog::find(const SuspectSet& active) const {
  const auto at = index_.find(active);
  return at == index_.end() ? nullptr : &entries_[at->second];
}

std::optional<std::size_t> EvidenceLog::shows_fail(const SuspectSet& active) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].verdict() == Verdict::fail && entries_[i].active.is_subset_of(active)) return i;
  return std::nullopt;
}

std::optional<std::size_t> EvidenceLog::shows_pass(const SuspectSet& active) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].verdict() == Verdict::pass && active.is_subset_of(entries_[i].active)) return i;
  return std::nullopt;
}

std::optional<Contradiction> EvidenceLog::contradiction() const {
  for (const Contradiction& pair : contradictions_)
    if (entries_[pair.fail].verdict() == Verdict::fail && entries_[pair.pass].verdict() == Verdict::pass) return pair;
  return std::nullopt;
}

bool EvidenceLog::worth_repeating(const LogEntry& entry) const {
  return entry.told() < kToldEnough && (entry.tied() || entry.judged() < kJudgedEnough);
}

}  // namespace bisectd::strategies
