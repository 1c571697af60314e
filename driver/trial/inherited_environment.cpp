#include "driver/trial/inherited_environment.hpp"

#include <unistd.h>

#include <string_view>

namespace bisectd::driver {

neutralise::Environment inherited_environment() {
  neutralise::Environment result;
  for (char** entry = ::environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0) result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

}  // namespace bisectd::driver
