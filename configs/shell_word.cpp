#include "configs/shell_word.hpp"

namespace bisectd::configs {

std::string shell_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string shell_quoted(const std::string& word) {
  constexpr const char* kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  return !word.empty() && word.find_first_not_of(kSafe) == std::string::npos ? word : shell_word(word);
}

}  // namespace bisectd::configs
