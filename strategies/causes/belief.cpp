// Each move is a heat bath: it draws from the exact distribution of what may come in the place of one cause, so that none is
// refused for being unlikely, and no density has to be known afterwards.
#include "strategies/causes/belief.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "strategies/logarithm.hpp"
#include "strategies/prior.hpp"

namespace bisectd::strategies::causes {
namespace {

// With 50 of them and 16 moves as good as with 100 and 12; two pairs and eight devices take 18.4 rounds with 800 and one
// move, 8.75 with 50 and 16: moves count.
constexpr std::size_t kExplanations = 100;
constexpr std::size_t kMostCauses = 16;
constexpr std::size_t kLookedFor = 40;  // times the moves, where no explanation is consistent with exact votes
constexpr double kExactDoubt = 1e-9;    // of a vote that is never wrong
constexpr int kNever = -1'000'000;
constexpr int kGuess = 8;  // quarters of a bit: worth of a failure to a member whose partners are not known yet
// Of a cause of so many members, times the orders in which they can be drawn.
constexpr std::array kOfSize{0.0, kLoneCause, 0.8 * kJointCause * 2, 0.2 * kJointCause * 6};

// Of the number of causes, as in the engine `signatures`.
double count_prior(std::size_t k) { return 1 / (static_cast<double>(k * k) * std::sqrt(static_cast<double>(k))); }

// [q]: 2^(-q / 4), as far as that counts.
std::array<double, 240> negative_powers() {
  constexpr std::array kPart{1.0, 0.84089641525371454, 0.70710678118654752, 0.59460355750136054};
  std::array<double, 240> powers{};
  for (std::size_t q = 0; q < powers.size(); ++q) powers[q] = std::ldexp(kPart[q % 4], -static_cast<int>(q / 4));
  return powers;
}

/// 2^(quarters / 4), for none above 0.
double power(int quarters) {
  static const std::array kPowers = negative_powers();
  const auto at = static_cast<std::size_t>(-quarters);
  return at < kPowers.size() ? kPowers[at] : 0;
}

// Failures among these trials, less passes.
inline int excess(const Pattern& in, const Pattern& failed, const Pattern& passed) {
  int count = 0;
  for (std::size_t word = 0; word < failed.size(); ++word)
    count += std::popcount(in[word] & failed[word]) - std::popcount(in[word] & passed[word]);
  return count;
}

// To each suspect: what it gains by being active in these failures, less what in these passes. Most of the time of a move.
#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target_clones("popcnt", "default")))
#endif
void add_gains(const Activity& active, const Pattern& failed, const Pattern& passed, int worth, std::vector<int>& gains) {
  for (SuspectId suspect = 0; suspect < gains.size(); ++suspect)
    gains[suspect] += worth * excess(active.of(suspect), failed, passed);
}

}  // namespace

Belief::Belief(std::vector<double> odds, bool exact, std::size_t moves, std::uint64_t seed)
    : share_(std::move(odds)),
      exact_(exact),
      moves_(moves),
      random_(seed),
      active_(share_.size()),
      explanations_(kExplanations) {
  double sum = 0;
  List all;
  for (double each : share_) all.sum.push_back(sum += each);
  for (double& share : share_) {
    searched_ += share > 0;
    share /= sum;
  }
  for (Explanation& each : explanations_) each = {{all.draw(random_)}};
}

SuspectId Belief::List::draw(Random& random) const {
  const auto at = std::upper_bound(sum.begin(), sum.end(), random.unit() * sum.back());
  return std::min<std::size_t>(static_cast<std::size_t>(at - sum.begin()), sum.size() - 1);
}

void Belief::weigh() {
  lists_.clear();
  levels_.clear();
  const Pattern none((votes_.size() + 63) / 64, 0);
  failures_ = none;
  for (std::size_t at = 0; at < votes_.size(); ++at) {
    const double doubt = std::max(votes_[at].doubt, kExactDoubt);
    const int worth = std::max(1, static_cast<int>(std::lround(4 * portable_log2((1 - doubt) / doubt))));
    auto level = std::ranges::find(levels_, worth, &Level::worth);
    if (level == levels_.end()) level = levels_.insert(level, {worth, none, none});
    const std::uint64_t bit = std::uint64_t{1} << at % 64;
    (votes_[at].failed ? level->failed : level->passed)[at / 64] |= bit;
    if (votes_[at].failed) failures_[at / 64] |= bit;
  }
}

Pattern Belief::covered_by(const Explanation& explanation) const {
  Pattern covered(failures_.size(), 0);
  for (const Cause& cause : explanation) {
    const Pattern in = active_.of(cause);
    for (std::size_t word = 0; word < covered.size(); ++word) covered[word] |= in[word];
  }
  return covered;
}

Pattern Belief::wrong(const Explanation& explanation) const {
  Pattern wrong = covered_by(explanation);
  for (std::size_t word = 0; word < wrong.size(); ++word) wrong[word] ^= failures_[word];
  return wrong;
}

Belief::List Belief::weighed(const std::vector<int>& gains) const {
  List list;
  for (SuspectId suspect = 0; suspect < gains.size(); ++suspect)
    if (share_[suspect] > 0) list.top = std::max(list.top, gains[suspect]);
  double sum = 0;
  for (SuspectId suspect = 0; suspect < gains.size(); ++suspect)
    list.sum.push_back(sum += share_[suspect] * power(gains[suspect] - list.top));
  return list;
}

// Failures that nothing else covers speak for a suspect as some member of a cause, passes do not speak against it.
Belief::Lists& Belief::lists_beside(const Pattern& covered) {
  const auto [at, fresh] = lists_.try_emplace(covered);
  if (fresh) {
    std::vector<int> gains(share_.size());
    add_gains(active_, without(failures_, covered), Pattern(covered.size(), 0), kGuess, gains);
    at->second.members = weighed(gains);
  }
  return at->second;
}

const Belief::List& Belief::causes_with(const Cause& kept, const Pattern& covered, Lists& lists) const {
  const auto [at, fresh] = lists.causes_with.try_emplace(kept);
  if (!fresh) return at->second;
  const Pattern open = without(active_.of(kept), covered);
  std::vector<int> gains(share_.size());
  for (const Level& level : levels_)
    add_gains(active_, both(open, level.failed), both(open, level.passed), level.worth, gains);
  for (SuspectId each : kept) gains[each] = kNever;
  return at->second = weighed(gains);
}

int Belief::gain_of(const Cause& cause, const Pattern& covered) const {
  const Pattern open = without(active_.of(cause), covered);
  int gain = 0;
  for (const Level& level : levels_) gain += level.worth * excess(open, level.failed, level.passed);
  return gain;
}

// Of a cause of several that is taken out, and else guessed. Empty: two of them were the same.
Cause Belief::kept_of(Cause out, std::size_t count, const List& likely) {
  if (out.size() < 2) {
    out.clear();
    while (out.size() < count) out.push_back(likely.draw(random_));
    std::ranges::sort(out);
    if (count == 2 && out[0] == out[1]) out.clear();
  }
  if (out.size() > count) out.erase(out.begin() + static_cast<std::ptrdiff_t>(random_.below(out.size())));
  return out;
}

// In its place comes nobody, a lone suspect, those kept where they are two, or these and one more.
std::optional<Cause> Belief::redrawn(const Cause& kept, std::size_t others, const Pattern& covered, Lists& lists) {
  const std::size_t keeps = kept.size();
  double guessed = static_cast<double>(keeps), shares = 1;  // chance that they are guessed, in any order
  for (SuspectId each : kept) guessed *= lists.members.share(each), shares *= share_[each];
  const List &lone = causes_with({}, covered, lists), &more = causes_with(kept, covered, lists);
  const int gain = gain_of(kept, covered), top = std::max({0, lone.top, more.top, gain});
  const double orders = static_cast<double>(keeps + 1);  // of one more these are kept in one of so many cases
  const double nobody = others == 0 ? 0 : guessed * count_prior(others) / count_prior(others + 1) * power(-top),
               alone = guessed * kOfSize[1] * lone.sum.back() * power(lone.top - top),
               same = keeps == 2 ? kOfSize[2] * shares * power(gain - top) : 0,
               joined = kOfSize[keeps + 1] * shares / orders * more.sum.back() * power(more.top - top);
  double at = random_.unit() * (nobody + alone + same + joined);
  if (at < nobody) return std::nullopt;
  if ((at -= nobody) < alone) return Cause{lone.draw(random_)};
  Cause cause = kept;
  if (at - alone >= same) cause.push_back(more.draw(random_));
  std::ranges::sort(cause);
  return cause;
}

// One cause is taken out, or one more is tried.
void Belief::move(Explanation& explanation) {
  Explanation rest = explanation;
  Cause out;
  if (random_.below(2) == 0) {
    const auto at = rest.begin() + static_cast<std::ptrdiff_t>(random_.below(rest.size()));
    out = *at;
    rest.erase(at);
  }
  const std::size_t keeps = random_.below(4) == 0 ? 2 : 1;
  if (rest.size() >= kMostCauses || searched_ <= keeps || out.size() > keeps + 1) return;
  const Pattern covered = covered_by(rest);
  Lists& lists = lists_beside(covered);
  const Cause kept = kept_of(std::move(out), keeps, lists.members);
  if (kept.empty()) return;
  if (std::optional<Cause> drawn = redrawn(kept, rest.size(), covered, lists)) {
    for (const Cause& other : rest)  // none is part of another
      if (std::ranges::includes(other, *drawn) || std::ranges::includes(*drawn, other)) return;
    rest.push_back(std::move(*drawn));
  }
  explanation = std::move(rest);
}

// By the last vote, at even distances.
void Belief::resample() {
  double total = 0;
  std::vector<double> sum;
  for (const Explanation& each : explanations_)
    sum.push_back(total += holds(wrong(each), votes_.size() - 1) ? std::max(votes_.back().doubt, kExactDoubt) : 1.0);
  const double start = random_.unit();
  std::vector<Explanation> next;
  for (std::size_t i = 0, from = 0; i < sum.size(); ++i) {
    const double wanted = (static_cast<double>(i) + start) * total / static_cast<double>(sum.size());
    while (sum[from] < wanted && from + 1 < sum.size()) ++from;
    next.push_back(explanations_[from]);
  }
  explanations_ = std::move(next);
}

// Those that are take the place of those that are not.
bool Belief::keep_consistent() {
  std::vector<Explanation> good;
  for (const Explanation& each : explanations_)
    if (count_of(wrong(each)) == 0) good.push_back(each);
  for (std::size_t i = 0; i < explanations_.size() && !good.empty(); ++i) explanations_[i] = good[i % good.size()];
  return !good.empty();
}

void Belief::add(const SuspectSet& active, Vote vote) {
  active_.add(active);
  votes_.push_back(vote);
  weigh();
  resample();
  for (std::size_t time = 0; time <= kLookedFor; ++time) {
    for (Explanation& each : explanations_)
      for (std::size_t i = 0; i < moves_; ++i) move(each);
    if (!exact_ || keep_consistent()) return;
  }
  misfit_ = true;
}

void Belief::set_doubts(const std::vector<double>& doubts) {
  for (std::size_t i = 0; i < doubts.size(); ++i) votes_[i].doubt = doubts[i];
  weigh();
}

}  // namespace bisectd::strategies::causes
