// Keeps the member draws prepared last: particles are alike, so that most moves want a draw that another one had
// before. Changes nothing but the time.
#pragma once

#include <vector>

#include "strategies/causes/member_draw.hpp"

namespace bisectd::strategies::causes {

class DrawCache {
 public:
  /// `slots`: prepared draws that are kept. Tests and levels must outlive the cache.
  DrawCache(const Tests& tests, const OddsLevels& levels, std::size_t slots);

  /// The draw of a member beside `taken`, counted over these clears and hits (see MemberDraw); valid until the next
  /// call.
  const MemberDraw& prepared(const TestSet& clears, const Cause& taken, const TestSet& hits, MemberDraw::Weights weights);

 private:
  struct Slot {
    MemberDraw draw;
    std::size_t tests = 0;  // when it was prepared; 0: never
    TestSet clears, hits;
    Cause taken;
    MemberDraw::Weights weights;
  };

  const Tests& tests_;
  std::vector<Slot> slots_;
};

}  // namespace bisectd::strategies::causes
