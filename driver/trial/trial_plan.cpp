#include "driver/trial/trial_plan.hpp"

#include <stdexcept>

namespace bisectd::driver {

std::string set_key(const strategies::SuspectSet& set) {
  std::string bits(set.size(), '0');  // suspect 0 is the last character, as where a set is made from text
  for (auto id = set.find_first(); id != strategies::SuspectSet::npos; id = set.find_next(id))
    bits[set.size() - 1 - id] = '1';
  return bits;
}

strategies::SuspectSet set_of(const std::string& key) {
  if (key.find_first_not_of("01") != std::string::npos) throw std::invalid_argument("no set of suspects: " + key);
  return strategies::SuspectSet(key);
}

}  // namespace bisectd::driver
