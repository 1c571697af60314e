#include "configs/secret.hpp"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>

namespace bisectd::configs {

bool is_secret(std::string_view variable_name) {
  constexpr std::array<const char*, 6> kWords{"TOKEN", "KEY", "PASSWORD", "PASSWD", "SECRET", "CREDENTIAL"};
  return std::ranges::any_of(kWords, [&](const char* word) { return boost::icontains(variable_name, word); });
}

}  // namespace bisectd::configs
