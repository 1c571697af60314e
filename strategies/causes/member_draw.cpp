// Bit-sliced counting and class sampling.
#include "strategies/causes/member_draw.hpp"

#include <algorithm>
#include <bit>

namespace bisectd::strategies::causes {
namespace {

using Counts = std::array<std::array<std::size_t, 8>, 3>;
constexpr unsigned kCounterBits = 5;

// The innermost loops of the engine are compiled twice: the processor may or may not count bits in one instruction and
// work on several words at once. The result is the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define BISECTD_FAST_BITS __attribute__((target_clones("avx2", "popcnt", "default"), optimize("O3")))
#else
#define BISECTD_FAST_BITS
#endif

// How many suspects are in each class.
BISECTD_FAST_BITS
void count_classes(const Word* missed, const Word* against, const Word* level, std::size_t words, std::size_t most_against,
                   Counts& counts) {
  for (std::size_t w = 0; w < words; ++w) {
    const Word m0 = missed[w], m1 = missed[words + w], m2 = missed[2 * words + w], here = level[w];
    const Word low[4] = {~m1 & ~m0, ~m1 & m0, m1 & ~m0, m1 & m0};
    for (std::size_t a = 0; a < most_against; ++a) {
      const Word mask = against[a * words + w] & here;
      if (!mask) continue;
      for (std::size_t m = 0; m < 8; ++m)
        counts[a][m] += static_cast<std::size_t>(__builtin_popcountll(mask & low[m & 3] & (m & 4 ? m2 : ~m2)));
    }
  }
}

// Adds one to the five-bit counters of the suspects outside `row`; 31 stays 31.
BISECTD_FAST_BITS
void count_outside(const Word* __restrict row, std::size_t words, Word* __restrict planes) {
  Word* __restrict p0 = planes;
  Word* __restrict p1 = p0 + words;
  Word* __restrict p2 = p1 + words;
  Word* __restrict p3 = p2 + words;
  Word* __restrict p4 = p3 + words;
  for (std::size_t w = 0; w < words; ++w) {
    const Word one = ~row[w], carry0 = p0[w] & one, carry1 = p1[w] & carry0, carry2 = p2[w] & carry1,
               carry3 = p3[w] & carry2, over = p4[w] & carry3;
    p0[w] = (p0[w] ^ one) | over;
    p1[w] = (p1[w] ^ carry0) | over;
    p2[w] = (p2[w] ^ carry1) | over;
    p3[w] = (p3[w] ^ carry2) | over;
    p4[w] = p4[w] | carry3;
  }
}

// Takes the least counter of the `allowed` off every one of them; what is more than seven then becomes seven, and three
// planes are left. Counters of the others become anything.
BISECTD_FAST_BITS
void relative_to_least(const Word* __restrict allowed, std::size_t words, Word* __restrict candidates,
                       Word* __restrict planes) {
  for (std::size_t w = 0; w < words; ++w) candidates[w] = allowed[w];
  unsigned least = 0;
  for (unsigned bit = kCounterBits; bit-- > 0;) {
    const Word* plane = planes + bit * words;
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w) any |= candidates[w] & ~plane[w];
    if (any)
      for (std::size_t w = 0; w < words; ++w) candidates[w] &= ~plane[w];
    else least |= 1u << bit;
  }
  Word off[kCounterBits];
  for (unsigned bit = 0; bit < kCounterBits; ++bit) off[bit] = least >> bit & 1 ? ~Word{0} : 0;
  for (std::size_t w = 0; w < words; ++w) {
    Word borrow = 0, digit[kCounterBits];
    for (unsigned bit = 0; bit < kCounterBits; ++bit) {
      const Word p = planes[bit * words + w], o = off[bit];
      digit[bit] = p ^ o ^ borrow;
      borrow = (~p & (o | borrow)) | (o & borrow);
    }
    const Word many = digit[3] | digit[4];
    for (unsigned bit = 0; bit < 3; ++bit) planes[bit * words + w] = digit[bit] | many;
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
  against_.resize(kAgainst * tests.row_words());
  missed_.resize(kCounterBits * tests.row_words());
  scratch_.resize(tests.row_words());
}

Word MemberDraw::missed_mask(std::size_t missed, std::size_t w) const {
  const std::size_t words = tests_.row_words();
  Word mask = ~Word{0};
  for (std::size_t bit = 0; bit < 3; ++bit) mask &= missed >> bit & 1 ? missed_[bit * words + w] : ~missed_[bit * words + w];
  return mask;
}

void MemberDraw::count_against(const TestSet& clears, const Cause& taken) {
  const std::size_t words = tests_.row_words();
  allowed_ = everybody_;
  for (std::uint16_t member : taken) allowed_[member / 64] &= ~(Word{1} << (member % 64));
  Word *none = against_.data(), *one = none + words, *more = one + words;  // first as counters: in one, in two or more
  std::fill(against_.begin(), against_.end(), 0);
  most_against_ = 0;
  for (std::size_t v = 0; v < tests_.words(); ++v)
    for (Word rest = clears.word[v]; rest; rest &= rest - 1) {
      const Word* row = tests_.row(64 * v + static_cast<std::size_t>(std::countr_zero(rest)));
      for (std::size_t w = 0; w < words; ++w) {
        more[w] |= one[w] & row[w];
        one[w] |= row[w];
      }
      most_against_ = std::min(most_against_ + 1, kAgainst - 1);
    }
  for (std::size_t w = 0; w < words; ++w) {
    none[w] = allowed_[w] & ~one[w];
    one[w] &= allowed_[w] & ~more[w];
    more[w] &= allowed_[w];
  }
}

void MemberDraw::count_missed(const TestSet& hits, Weights weights) {
  const std::size_t words = tests_.row_words();
  std::fill(missed_.begin(), missed_.end(), 0);
  for (std::size_t v = 0; v < tests_.words(); ++v)
    for (Word rest = hits.word[v]; rest; rest &= rest - 1)
      count_outside(tests_.row(64 * v + static_cast<std::size_t>(std::countr_zero(rest))), words, missed_.data());
  relative_to_least(allowed_.data(), words, scratch_.data(), missed_.data());
  const bool one_level = levels_.size() == 1;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    Counts counts{};
    count_classes(missed_.data(), against_.data(), one_level ? everybody_.data() : levels_.mask(level), words,
                  most_against_ + 1, counts);
    for (std::size_t against = 0; against < kAgainst; ++against)
      for (std::size_t missed = 0; missed < kMissed; ++missed) count_[against][missed][level] = counts[against][missed];
  }
  total_ = 0;
  double a = 1;
  for (std::size_t against = 0; against <= most_against_; ++against, a *= weights.against) {
    double m = 1;
    for (std::size_t missed = 0; missed < kMissed; ++missed, m *= weights.missed)
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        weight_[against][missed][level] = a * m * levels_.weight(level);
        total_ += static_cast<double>(count_[against][missed][level]) * weight_[against][missed][level];
      }
  }
}

std::size_t MemberDraw::draw(Random& random) const {
  double at = random.unit() * total_;
  std::size_t a = 0, m = 0, l = 0;  // the class; the last non-empty one if rounding runs past the end
  bool chosen = false;
  for (std::size_t against = 0; against <= most_against_ && !chosen; ++against)
    for (std::size_t missed = 0; missed < kMissed && !chosen; ++missed)
      for (std::size_t level = 0; level < levels_.size() && !chosen; ++level) {
        if (count_[against][missed][level] == 0) continue;
        a = against, m = missed, l = level;
        at -= static_cast<double>(count_[against][missed][level]) * weight_[against][missed][level];
        chosen = at < 0;
      }
  const std::size_t words = tests_.row_words();
  std::size_t rank = random.below(count_[a][m][l]);
  for (std::size_t w = 0;; ++w) {
    Word mask = against_[a * words + w] & levels_.mask(l)[w];
    if (!mask) continue;
    mask &= missed_mask(m, w);
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
  const std::size_t words = tests_.row_words(), w = suspect / 64, bit = suspect % 64;
  if (!(allowed_[w] >> bit & 1)) return 0;
  std::size_t against = 0, missed = 0;
  while (!(against_[against * words + w] >> bit & 1)) ++against;
  for (std::size_t plane = 0; plane < 3; ++plane) missed |= (missed_[plane * words + w] >> bit & 1) << plane;
  return weight_[against][missed][levels_.level(suspect)] / total_;
}

}  // namespace bisectd::strategies::causes
