// Draws one member of a cause from what the tests say about every suspect beside the members drawn before it, and knows
// the probability of each draw: the proposal of the Markov chain.
#pragma once

#include <array>
#include <vector>

#include "strategies/causes/tests.hpp"
#include "strategies/random.hpp"

namespace bisectd::strategies::causes {

/// Suspects by odds in a few levels, as bit masks; built once.
class OddsLevels {
 public:
  explicit OddsLevels(const std::vector<double>& odds);

  static constexpr std::size_t kMost = 4;
  std::size_t size() const { return weight_.size(); }
  double weight(std::size_t level) const { return weight_[level]; }
  std::size_t level(std::size_t suspect) const { return level_[suspect]; }
  const Word* mask(std::size_t level) const { return mask_[level].data(); }

 private:
  std::vector<double> weight_;
  std::vector<std::vector<Word>> mask_;
  std::vector<std::uint8_t> level_;
};

/// Every suspect j falls into a class (a, m): a counts the given clear tests that j was active in (0, 1, 2 or more), m
/// the given hits that it was not active in, beyond the least count of any suspect (0 .. 7 or more). Its weight is
/// against^a * missed^m times its odds level. Counting is bit-sliced: 64 suspects at a time through a ripple adder,
/// O((tests + classes) n / 64).
class MemberDraw {
 public:
  MemberDraw(const Tests& tests, const OddsLevels& levels);

  struct Weights {
    double against, missed;  ///< at most 1
    bool operator==(const Weights&) const = default;
  };
  /// Counts `clears` for a; the suspects of `taken` get no weight. Then `hits` for m, which makes it ready to draw.
  void count_against(const TestSet& clears, const Cause& taken);
  void count_missed(const TestSet& hits, Weights weights);

  /// Sum over all suspects of their weight is > 0 unless all are taken.
  bool possible() const { return total_ > 0; }
  std::size_t draw(Random& random) const;
  double density(std::size_t suspect) const;  ///< probability that draw() returns it

 private:
  static constexpr std::size_t kAgainst = 3, kMissed = 8;
  Word missed_mask(std::size_t missed, std::size_t word) const;

  const Tests& tests_;
  const OddsLevels& levels_;
  std::vector<Word> everybody_, allowed_, scratch_;
  std::vector<Word> against_;  // [a]: the allowed suspects of that class
  std::vector<Word> missed_;   // three bit planes of m; while counting five
  std::array<std::array<std::array<double, OddsLevels::kMost>, kMissed>, kAgainst> weight_{};
  std::array<std::array<std::array<std::size_t, OddsLevels::kMost>, kMissed>, kAgainst> count_{};
  std::size_t most_against_ = 0;  // classes beyond are empty
  double total_ = 0;
};

}  // namespace bisectd::strategies::causes
