// Greedy pool design.
//
// Candidates are prefixes of an order of the suspects, cut where half of the particles fail: one bit if they were
// alone. The order is stratified: suspects with the same fate in the batch so far are neighbours, likely culprits
// first, and every block of B neighbours spreads over the B parts of the order. A cut then halves every group that the
// batch could not yet tell apart, and k balanced pools split n suspects into 2^k groups of equal size, which
// independent random pools only do on average. Of a block the suspects that are dear to neutralise go to the front, so
// that they are active in most pools; where all suspects cost the same this changes nothing.
#include "strategies/causes/design.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies::causes {
namespace {

// Halved and doubled: docs/search.md, "How much the other constants matter".
constexpr std::size_t kJoint = 8;        // pools whose outcomes are looked at together
constexpr std::size_t kSample = 1000;    // particles that stand for all
constexpr std::size_t kCandidates = 24;  // per pool, of which the first few fix what one particle blames
constexpr std::size_t kFixes = 4;
constexpr double kLeastGain = 0.02;  // bits

class Designer {
 public:
  Designer(const std::vector<Explanation>& particles, std::span<const double> price, double flip, Random& random)
      : price_(price), suspects_(price.size()), flip_(flip), random_(random), marginal_(suspects_, 0), fate_(suspects_, 0) {
    const std::size_t count = std::min(particles.size(), kSample);
    for (std::size_t i = 0; i < count; ++i)
      sample_.push_back(&particles[count == particles.size() ? i : random_.below(particles.size())]);
    cell_.assign(count, 0);
    for (const Explanation* particle : sample_)
      for (const Cause& cause : *particle)
        for (std::uint16_t member : cause) ++marginal_[member];
  }

  void take(const SuspectSet& pool) {
    if (depth_ == kJoint) start_afresh();
    const std::vector<std::uint8_t> outcome = outcomes(pool);
    entropy_ = joint_entropy(outcome);
    for (std::size_t i = 0; i < cell_.size(); ++i) cell_[i] |= outcome[i] << depth_;
    for (std::size_t j = 0; j < suspects_; ++j) fate_[j] |= (pool.test(j) ? 1u : 0u) << depth_;
    ++depth_;
  }

  // The best of the candidates; empty if none tells anything.
  SuspectSet best(std::span<const SuspectSet> known, std::span<const SuspectSet> batch) {
    if (depth_ == kJoint) start_afresh();
    const std::vector<std::uint32_t> sorted = neighbours();
    SuspectSet chosen(suspects_);
    double most = entropy_ + noise_bits() + kLeastGain;
    for (std::size_t c = 0; c < kCandidates; ++c) {
      const SuspectSet pool = c < kFixes ? all_but_hit(*sample_[random_.below(sample_.size())]) : cut(stratified(sorted, c));
      const double entropy = joint_entropy(outcomes(pool));
      if (entropy <= most || std::find(known.begin(), known.end(), pool) != known.end() ||
          std::find(batch.begin(), batch.end(), pool) != batch.end())
        continue;
      most = entropy;
      chosen = pool;
    }
    return chosen;
  }

 private:
  void start_afresh() {
    depth_ = 0;
    entropy_ = 0;
    std::fill(cell_.begin(), cell_.end(), 0);
    std::fill(fate_.begin(), fate_.end(), 0);
  }

  // Entropy of one noisy outcome that is already known: what a useless pool would add.
  double noise_bits() const {
    return flip_ <= 0 ? 0.0 : -flip_ * portable_log2(flip_) - (1 - flip_) * portable_log2(1 - flip_);
  }

  static bool hits(const Cause& cause, const SuspectSet& pool) {
    return std::all_of(cause.begin(), cause.end(), [&](std::uint16_t member) { return pool.test(member); });
  }

  std::vector<std::uint8_t> outcomes(const SuspectSet& pool) const {
    std::vector<std::uint8_t> outcome(sample_.size());
    for (std::size_t i = 0; i < sample_.size(); ++i)
      outcome[i] = std::any_of(sample_[i]->begin(), sample_[i]->end(), [&](const Cause& c) { return hits(c, pool); });
    return outcome;
  }

  // Of the outcomes of the pools so far and this one, each seen through a channel that flips it.
  double joint_entropy(const std::vector<std::uint8_t>& outcome) const {
    std::array<double, std::size_t{1} << kJoint> share{};
    const std::size_t cells = std::size_t{2} << depth_;
    const double one = 1 / static_cast<double>(sample_.size());
    for (std::size_t i = 0; i < sample_.size(); ++i)
      share[cell_[i] | static_cast<std::uint32_t>(outcome[i]) << depth_] += one;
    if (flip_ > 0)
      for (std::size_t bit = 1; bit < cells; bit <<= 1)
        for (std::size_t i = 0; i < cells; ++i)
          if (!(i & bit)) {
            const double clear = share[i], hit = share[i | bit];
            share[i] = (1 - flip_) * clear + flip_ * hit;
            share[i | bit] = flip_ * clear + (1 - flip_) * hit;
          }
    double entropy = 0;
    for (std::size_t i = 0; i < cells; ++i)
      if (share[i] > 0) entropy -= share[i] * portable_log2(share[i]);
    return entropy;
  }

  SuspectSet all_but_hit(const Explanation& explanation) {
    SuspectSet pool(suspects_);
    pool.set();
    for (const Cause& cause : explanation)
      if (hits(cause, pool)) pool.reset(cause.member[random_.below(cause.size())]);
    return pool;
  }

  // Suspects by their fate in the batch, then by how likely they are; equal ones in random order.
  std::vector<std::uint32_t> neighbours() {
    std::vector<std::uint32_t> order(suspects_);
    std::iota(order.begin(), order.end(), 0u);
    random_.shuffle(std::span(order));
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return fate_[a] != fate_[b] ? fate_[a] < fate_[b] : marginal_[a] > marginal_[b];
    });
    return order;
  }

  std::vector<std::uint32_t> stratified(const std::vector<std::uint32_t>& sorted, std::size_t candidate) {
    const std::size_t block = std::size_t{2} << (candidate % 4);  // 2, 4, 8, 16
    const std::size_t blocks = (suspects_ + block - 1) / block;
    std::vector<std::uint32_t> order;
    order.reserve(suspects_);
    std::vector<std::vector<std::uint32_t>> parts(block);
    std::vector<std::uint32_t> one;
    for (std::size_t b = 0; b < blocks; ++b) {
      one.assign(sorted.begin() + static_cast<std::ptrdiff_t>(b * block),
                 sorted.begin() + static_cast<std::ptrdiff_t>(std::min(suspects_, (b + 1) * block)));
      random_.shuffle(std::span(one));
      std::ranges::stable_sort(one, std::greater(), [&](std::uint32_t suspect) { return price_[suspect]; });
      for (std::size_t i = 0; i < one.size(); ++i) parts[i].push_back(one[i]);
    }
    for (std::vector<std::uint32_t>& part : parts) {
      random_.shuffle(std::span(part));
      order.insert(order.end(), part.begin(), part.end());
    }
    return order;
  }

  // The prefix of the order with which half of the particles fail.
  SuspectSet cut(const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> rank(suspects_);
    for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<std::uint32_t>(r);
    std::vector<std::uint32_t> fails_from;  // the rank with which a particle begins to fail
    fails_from.reserve(sample_.size());
    for (const Explanation* particle : sample_) {
      std::uint32_t first = static_cast<std::uint32_t>(suspects_);
      for (const Cause& cause : *particle) {
        std::uint32_t last = 0;
        for (std::uint16_t member : cause) last = std::max(last, rank[member]);
        first = std::min(first, last);
      }
      fails_from.push_back(first);
    }
    std::vector<std::uint32_t> sorted = fails_from;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const std::uint32_t median = *middle;
    std::size_t below = 0, upto = 0;
    for (std::uint32_t r : fails_from) below += r < median, upto += r <= median;
    const auto off_half = [&](std::size_t count) {
      return count * 2 > fails_from.size() ? count * 2 - fails_from.size() : fails_from.size() - count * 2;
    };
    const std::size_t length = off_half(below) < off_half(upto) ? median : median + 1;
    SuspectSet pool(suspects_);
    for (std::size_t j = 0; j < suspects_; ++j)
      if (rank[j] < length) pool.set(j);
    return pool;
  }

  std::span<const double> price_;
  std::size_t suspects_;
  double flip_;
  Random& random_;
  std::vector<const Explanation*> sample_;
  std::vector<std::uint32_t> marginal_, fate_, cell_;
  std::size_t depth_ = 0;  // pools in the joint outcome
  double entropy_ = 0;
};

}  // namespace

void design_pools(const std::vector<Explanation>& particles, std::span<const double> price, double flip, std::size_t count,
                  std::span<const SuspectSet> known, std::vector<SuspectSet>& batch, Random& random) {
  Designer designer(particles, price, flip, random);
  for (const SuspectSet& pool : batch) designer.take(pool);
  while (batch.size() < count) {
    SuspectSet pool = designer.best(known, batch);
    if (pool.none()) return;
    designer.take(pool);
    batch.push_back(std::move(pool));
  }
}

}  // namespace bisectd::strategies::causes
