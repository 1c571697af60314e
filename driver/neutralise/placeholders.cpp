#include "driver/neutralise/placeholders.hpp"

#include <algorithm>

namespace bisectd::driver::neutralise {

std::string filled(std::string_view text, const Words& words) {
  std::string result;
  result.reserve(text.size() + 64);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t brace = std::min(text.find_first_of("{}", i), text.size());
    result += text.substr(i, brace - i);
    if ((i = brace) == text.size()) break;
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      result += text[i];
      i += 2;
      continue;
    }
    const auto found = std::ranges::find_if(words, [&](const auto& word) {
      return rest.substr(1).starts_with(word.first) && rest.substr(1 + word.first.size()).starts_with('}');
    });
    if (found == words.end()) {
      result += text[i++];
    } else {
      result += found->second;
      i += found->first.size() + 2;
    }
  }
  return result;
}

}  // namespace bisectd::driver::neutralise
