// Texts of a search name suspects by their numbers: #3. Whoever knows their names puts them in.
#pragma once

#include <cctype>
#include <optional>
#include <string>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// The text with each "#3" replaced by what `name_of(3)` says, an optional text; left as it is where that is nothing.
template <class NameOf>
std::string with_names(const std::string& text, NameOf name_of) {
  constexpr std::size_t kMostDigits = 9;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    const std::size_t digits = text[at] == '#' ? end - at - 1 : 0;
    std::optional<std::string> name;
    if (digits > 0 && digits <= kMostDigits) name = name_of(SuspectId{std::stoul(text.substr(at + 1, digits))});
    result += name ? *name : text.substr(at, 1);
    at = name ? end : at + 1;
  }
  return result;
}

}  // namespace bisectd::strategies
