#include "driver/trial/set_of.hpp"

#include <stdexcept>

namespace bisectd::driver {

strategies::SuspectSet set_of(const std::string& key) {
  if (key.find_first_not_of("01") != std::string::npos) throw std::invalid_argument("no set of suspects: " + key);
  return strategies::SuspectSet(key);
}

}  // namespace bisectd::driver
