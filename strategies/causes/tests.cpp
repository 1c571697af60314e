// Filling and combining the bit matrix.
#include "strategies/causes/tests.hpp"

#include <boost/dynamic_bitset.hpp>

namespace bisectd::strategies::causes {

Tests::Tests(std::size_t suspects) : suspects_(suspects), row_words_((suspects + 63) / 64), columns_(suspects) {}

void Tests::add(const SuspectSet& exposed, bool hit, double doubt) {
  const std::size_t test = size();
  const Word bit = Word{1} << (test % 64);
  rows_.resize(rows_.size() + row_words_);
  boost::to_block_range(exposed, rows_.end() - static_cast<std::ptrdiff_t>(row_words_));
  for (auto suspect = exposed.find_first(); suspect != SuspectSet::npos; suspect = exposed.find_next(suspect))
    columns_[suspect].word[test / 64] |= bit;
  (hit ? hits_ : clears_).word[test / 64] |= bit;
  doubt_.push_back(doubt);
}

TestSet Tests::covered(const Cause& cause) const {
  TestSet all = columns_[cause.member[0]];
  for (std::size_t i = 1; i < kMostMembers && cause.member[i] != Cause::kNobody; ++i)
    for (std::size_t w = 0; w < words(); ++w) all.word[w] &= columns_[cause.member[i]].word[w];
  return all;
}

TestSet Tests::covered(const Explanation& explanation, std::size_t skip) const {
  TestSet any;
  for (std::size_t i = 0; i < explanation.size; ++i) {
    if (i == skip) continue;
    const TestSet one = covered(explanation.cause[i]);
    for (std::size_t w = 0; w < words(); ++w) any.word[w] |= one.word[w];
  }
  return any;
}

TestSet Tests::mismatches(const TestSet& covered) const {
  TestSet wrong;
  for (std::size_t w = 0; w < words(); ++w)
    wrong.word[w] = (covered.word[w] & clears_.word[w]) | (~covered.word[w] & hits_.word[w]);
  return wrong;
}

}  // namespace bisectd::strategies::causes
