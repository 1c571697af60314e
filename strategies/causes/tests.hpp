// The judged trials as a bit matrix, read both ways: which suspects were active in a test (row), and in which tests a
// suspect was active (column). Everything the engine computes is a bit operation over one or the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strategies/causes/explanation.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies::causes {

using Word = std::uint64_t;
inline constexpr std::size_t kMostTests = 512;

/// A set of tests.
struct TestSet {
  std::array<Word, kMostTests / 64> word{};
};

class Tests {
 public:
  explicit Tests(std::size_t suspects);

  /// `doubt`: p / (1 - p), p the chance that the outcome is wrong. At most kMostTests times.
  void add(const SuspectSet& exposed, bool hit, double doubt);

  std::size_t suspects() const { return suspects_; }
  std::size_t size() const { return doubt_.size(); }
  bool full() const { return size() == kMostTests; }
  std::size_t words() const { return (size() + 63) / 64; }  ///< of a TestSet that are in use
  std::size_t row_words() const { return row_words_; }
  const Word* row(std::size_t test) const { return rows_.data() + test * row_words_; }
  const TestSet& column(std::size_t suspect) const { return columns_[suspect]; }
  const TestSet& hits() const { return hits_; }
  const TestSet& clears() const { return clears_; }
  double doubt(std::size_t test) const { return doubt_[test]; }
  void set_doubt(std::size_t test, double doubt) { doubt_[test] = doubt; }

  /// Tests in which all members were active.
  TestSet covered(const Cause& cause) const;
  /// Tests that the explanation predicts to hit, its cause at `skip` left out (none: kMostCauses).
  TestSet covered(const Explanation& explanation, std::size_t skip = kMostCauses) const;
  /// Tests whose outcome differs from a prediction.
  TestSet mismatches(const TestSet& covered) const;

 private:
  std::size_t suspects_, row_words_;
  std::vector<Word> rows_;
  std::vector<TestSet> columns_;
  TestSet hits_, clears_;
  std::vector<double> doubt_;
};

}  // namespace bisectd::strategies::causes
