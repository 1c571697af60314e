#include "configs/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace bisectd::configs {
namespace {

/// In small letters, without commas.
std::string plain(std::string_view written) {
  std::string text;
  for (const char letter : written)
    if (letter != ',') text += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  return text;
}

std::string meaning_of_one(std::string_view written) {
  const auto number = number_in(written);
  return number ? fmt::format("{}", *number) : plain(written);
}

}  // namespace

std::optional<double> number_in(std::string_view written) {
  const std::string text = plain(written);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string meaning(std::string_view text) {
  constexpr std::string_view kBetween = ", ";
  std::string all;
  while (true) {
    const std::size_t end = text.find(kBetween);
    all += meaning_of_one(text.substr(0, end));
    if (end == std::string_view::npos) return all;
    all += kBetween;
    text.remove_prefix(end + kBetween.size());
  }
}

}  // namespace bisectd::configs
