#include "driver/trial/trial_plan.hpp"

namespace bisectd::driver {

std::string set_key(const strategies::SuspectSet& set) {
  std::string bits(set.size(), '0');  // suspect 0 is the last character, as where a set is made from text
  for (auto id = set.find_first(); id != strategies::SuspectSet::npos; id = set.find_next(id))
    bits[set.size() - 1 - id] = '1';
  return bits;
}

}  // namespace bisectd::driver
