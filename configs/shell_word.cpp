#include "configs/shell_word.hpp"

namespace bisectd::configs {

std::string shell_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace bisectd::configs
