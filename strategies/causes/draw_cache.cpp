// A direct-mapped cache: one place for each key, the newer takes it.
#include "strategies/causes/draw_cache.hpp"

namespace bisectd::strategies::causes {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

}  // namespace

DrawCache::DrawCache(const Tests& tests, const OddsLevels& levels, std::size_t slots)
    : tests_(tests),
      slots_(slots, Slot{.draw = MemberDraw(tests, levels), .clears = {}, .hits = {}, .taken = {}, .weights = {}}) {}

const MemberDraw& DrawCache::prepared(const TestSet& clears, const Cause& taken, const TestSet& hits,
                                      MemberDraw::Weights weights) {
  std::uint64_t hash = 0;
  for (std::size_t w = 0; w < tests_.words(); ++w) hash = mixed(mixed(hash, clears.word[w]), hits.word[w]);
  for (std::uint16_t member : taken) hash = mixed(hash, member);
  Slot& slot = slots_[hash % slots_.size()];
  const bool beside = slot.tests == tests_.size() && slot.clears.word == clears.word && slot.taken == taken;
  if (beside && slot.hits.word == hits.word && slot.weights == weights && slot.tests > 0) return slot.draw;
  if (!beside || slot.tests == 0) slot.draw.count_against(clears, taken);
  slot.draw.count_missed(hits, weights);
  slot.tests = tests_.size();
  slot.clears = clears;
  slot.hits = hits;
  slot.taken = taken;
  slot.weights = weights;
  return slot.draw;
}

}  // namespace bisectd::strategies::causes
