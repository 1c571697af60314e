// Bit-sliced counting and class sampling.
#include "strategies/causes/member_draw.hpp"

#include <algorithm>
#include <bit>

namespace bisectd::strategies::causes {
namespace {

using Counts = std::array<std::array<std::size_t, 8>, 3>;

// How many suspects are in each class: the innermost loop of the engine, compiled twice where the processor may or may
// not count bits in one instruction.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("popcnt", "default")))
#endif
void count_classes(const std::array<const Word*, 3>& plane, const Word* against, const Word* level, std::size_t words,
                   std::size_t most_against, std::size_t most_favour, Counts& counts) {
  for (std::size_t w = 0; w < words; ++w) {
    const Word f0 = plane[0][w], f1 = plane[1][w], f2 = plane[2][w], here = level[w];
    const Word low[4] = {~f1 & ~f0, ~f1 & f0, f1 & ~f0, f1 & f0};
    for (std::size_t a = 0; a < most_against; ++a) {
      const Word mask = against[a * words + w] & here;
      if (!mask) continue;
      for (std::size_t f = 0; f < most_favour; ++f)
        counts[a][f] += static_cast<std::size_t>(__builtin_popcountll(mask & low[f & 3] & (f & 4 ? f2 : ~f2)));
    }
  }
}

}  // namespace

// Levels are factors of four below the likeliest; all that is lower shares the last one. The proposal only wants the
// rough size: the chain's target uses the exact odds.
OddsLevels::OddsLevels(const std::vector<double>& odds) : level_(odds.size(), 0) {
  const double most = odds.empty() ? 1.0 : *std::max_element(odds.begin(), odds.end());
  const std::size_t words = (odds.size() + 63) / 64;
  for (std::size_t level = 0; level < kMost; ++level) {
    weight_.push_back(level == 0 ? most : weight_.back() / 4);
    mask_.emplace_back(words, 0);
  }
  for (std::size_t i = 0; i < odds.size(); ++i) {
    std::size_t level = 0;
    while (level + 1 < kMost && odds[i] < weight_[level] / 2) ++level;
    level_[i] = static_cast<std::uint8_t>(level);
    mask_[level][i / 64] |= Word{1} << (i % 64);
  }
  while (weight_.size() > 1 && std::all_of(mask_.back().begin(), mask_.back().end(), [](Word w) { return w == 0; })) {
    weight_.pop_back();
    mask_.pop_back();
  }
}

MemberDraw::MemberDraw(const Tests& tests, const OddsLevels& levels)
    : tests_(tests), levels_(levels), everybody_(tests.row_words(), ~Word{0}) {
  if (const std::size_t rest = tests.suspects() % 64) everybody_.back() = (Word{1} << rest) - 1;
  for (auto* plane : {&against0_, &against1_, &favour0_, &favour1_, &favour2_}) plane->resize(tests.row_words());
  masked_.resize(kAgainst * tests.row_words());
}

Word MemberDraw::against_mask(std::size_t against, std::size_t w) const {
  return allowed_[w] & (against == 0 ? ~against0_[w] : against == 1 ? against0_[w] & ~against1_[w] : against1_[w]);
}

Word MemberDraw::favour_mask(std::size_t favour, std::size_t w) const {
  return (favour & 1 ? favour0_[w] : ~favour0_[w]) & (favour & 2 ? favour1_[w] : ~favour1_[w]) &
         (favour & 4 ? favour2_[w] : ~favour2_[w]);
}

void MemberDraw::count_against(const Signature& clears, const Cause& taken) {
  const std::size_t words = tests_.row_words();
  allowed_ = everybody_;
  for (std::uint16_t member : taken) allowed_[member / 64] &= ~(Word{1} << (member % 64));
  std::fill(against0_.begin(), against0_.end(), 0);
  std::fill(against1_.begin(), against1_.end(), 0);
  most_against_ = 0;
  for (std::size_t v = 0; v < tests_.words(); ++v)
    for (Word rest = clears.word[v]; rest; rest &= rest - 1) {
      const Word* row = tests_.row(64 * v + static_cast<std::size_t>(std::countr_zero(rest)));
      for (std::size_t w = 0; w < words; ++w) {
        against1_[w] |= against0_[w] & row[w];
        against0_[w] |= row[w];
      }
      most_against_ = std::min(most_against_ + 1, kAgainst - 1);
    }
  for (std::size_t against = 0; against <= most_against_; ++against)
    for (std::size_t w = 0; w < words; ++w) masked_[against * words + w] = against_mask(against, w);
}

void MemberDraw::count_favour(const Signature& hits, Weights weights) {
  const std::size_t words = tests_.row_words();
  for (auto* plane : {&favour0_, &favour1_, &favour2_}) std::fill(plane->begin(), plane->end(), 0);
  most_favour_ = 0;
  for (std::size_t v = 0; v < tests_.words(); ++v)
    for (Word rest = hits.word[v]; rest; rest &= rest - 1) {
      const Word* row = tests_.row(64 * v + static_cast<std::size_t>(std::countr_zero(rest)));
      for (std::size_t w = 0; w < words; ++w) {
        const Word carry0 = favour0_[w] & row[w], carry1 = favour1_[w] & carry0, over = favour2_[w] & carry1;
        favour0_[w] = (favour0_[w] ^ row[w]) | over;  // seven stays seven
        favour1_[w] = (favour1_[w] ^ carry0) | over;
        favour2_[w] = favour2_[w] | carry1;
      }
      most_favour_ = std::min(most_favour_ + 1, kFavour - 1);
    }
  const bool one_level = levels_.size() == 1;
  for (auto& by_favour : count_)
    for (auto& by_level : by_favour) by_level.fill(0);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    Counts counts{};
    count_classes({favour0_.data(), favour1_.data(), favour2_.data()}, masked_.data(),
                  one_level ? everybody_.data() : levels_.mask(level), words, most_against_ + 1, most_favour_ + 1,
                  counts);
    for (std::size_t against = 0; against <= most_against_; ++against)
      for (std::size_t favour = 0; favour <= most_favour_; ++favour)
        count_[against][favour][level] = counts[against][favour];
  }
  total_ = 0;
  double a = 1;
  for (std::size_t against = 0; against <= most_against_; ++against, a *= weights.against) {
    double f = 1;
    for (std::size_t favour = 0; favour <= most_favour_; ++favour, f *= weights.in_favour)
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        weight_[against][favour][level] = a * f * levels_.weight(level);
        total_ += static_cast<double>(count_[against][favour][level]) * weight_[against][favour][level];
      }
  }
}

std::size_t MemberDraw::draw(Random& random) const {
  double at = random.unit() * total_;
  std::size_t a = 0, f = 0, l = 0;  // the class; the last non-empty one if rounding runs past the end
  bool chosen = false;
  for (std::size_t against = 0; against < kAgainst && !chosen; ++against)
    for (std::size_t favour = 0; favour < kFavour && !chosen; ++favour)
      for (std::size_t level = 0; level < levels_.size() && !chosen; ++level) {
        if (count_[against][favour][level] == 0) continue;
        a = against, f = favour, l = level;
        at -= static_cast<double>(count_[against][favour][level]) * weight_[against][favour][level];
        chosen = at < 0;
      }
  std::size_t rank = random.below(count_[a][f][l]);
  for (std::size_t w = 0;; ++w) {
    Word mask = against_mask(a, w) & favour_mask(f, w) & levels_.mask(l)[w];
    const auto here = static_cast<std::size_t>(std::popcount(mask));
    if (rank >= here) {
      rank -= here;
      continue;
    }
    while (rank-- > 0) mask &= mask - 1;
    return 64 * w + static_cast<std::size_t>(std::countr_zero(mask));
  }
}

double MemberDraw::density(std::size_t suspect) const {
  const std::size_t w = suspect / 64, bit = suspect % 64;
  if (!(allowed_[w] >> bit & 1)) return 0;
  const std::size_t against = against1_[w] >> bit & 1 ? 2 : against0_[w] >> bit & 1;
  const std::size_t favour = (favour0_[w] >> bit & 1) | (favour1_[w] >> bit & 1) << 1 | (favour2_[w] >> bit & 1) << 2;
  return weight_[against][favour][levels_.level(suspect)] / total_;
}

}  // namespace bisectd::strategies::causes
